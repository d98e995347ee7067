import app from '@adonisjs/core/services/app'
import encryption from '@adonisjs/core/services/encryption'
import { test } from '@japa/runner'
import { EngineRouter } from '#base/http/engine_router'
import { queryStrings } from '#crud/mount/query_strings'

const TREE = { matcher: 'tree', precedence: 'specificity' } as const

/** A router with routes of its own, with some that are made on first use, and a list of what was made. */
function setUp() {
  const router = new EngineRouter(app, encryption.use(), queryStrings, TREE)
  const made: string[] = []
  const later = (addresses: string[], paths: string[]) =>
    router.later(addresses, () => {
      made.push(addresses[0])
      router.group(() => paths.forEach((path) => router.get(path, () => path))).use(() => {})
    })
  router.get('/api/about', () => {})
  later(['/api/films'], ['/api/films', '/api/films/:id'])
  later(['/api/films/prizes'], ['/api/films/prizes', '/api/films/prizes/:id'])
  later(['/admin/Film', '/admin/history/Film'], ['/admin/Film/list', '/admin/history/Film/:id'])
  router.commit()
  const found = (path: string) => router.match(path, 'GET', false)?.route.pattern
  return { router, made, found }
}

test.group('The routes of the engine', () => {
  test('[K9.5] routes of an address are made by the first request there', ({ assert }) => {
    const { made, found } = setUp()
    assert.equal(found('/api/about'), '/api/about')
    assert.isUndefined(found('/api/unknown'))
    assert.deepEqual(made, [])

    assert.equal(found('/admin/history/Film/3'), '/admin/history/Film/:id')
    assert.equal(found('/admin/Film/list'), '/admin/Film/list')
    assert.deepEqual(made, ['/admin/Film'])
    assert.isUndefined(found('/admin/Film/nothing'))
  })

  test('[K9.5] those of the longest address respond, then those of the shorter ones', ({
    assert,
  }) => {
    const { found } = setUp()
    assert.equal(found('/api/films/prizes'), '/api/films/prizes')
    assert.equal(found('/api/films/prizes/3'), '/api/films/prizes/:id')
    assert.equal(found('/api/films/3'), '/api/films/:id')
    assert.equal(found('/api/films/'), '/api/films')
  })

  test('[K9.5] the list has all routes, and those of some addresses make no others', ({ assert }) => {
    const { router, made } = setUp()
    const patterns = (routes: ReturnType<typeof router.toJSON>) =>
      routes.root.map(({ pattern }) => pattern)
    assert.deepEqual(patterns(router.routesAt(['/api/films/:id', '/:page'])), [
      '/api/about',
      '/api/films',
      '/api/films/:id',
    ])
    assert.deepEqual(made, ['/api/films'])
    assert.lengthOf(patterns(router.toJSON()), 7)
  })

  test('[K9.5] a failed registration leaves the router usable, and is repeated', ({ assert }) => {
    const router = new EngineRouter(app, encryption.use(), queryStrings, TREE)
    let calls = 0
    router.later(['/broken'], () => {
      calls++
      throw new Error('not today')
    })
    router.get('/about', () => {})
    router.commit()
    assert.throws(() => router.match('/broken', 'GET', false), 'not today')
    assert.throws(() => router.match('/broken', 'GET', false), 'not today')
    assert.equal(calls, 2)
    assert.equal(router.match('/about', 'GET', false)?.route.pattern, '/about')
  })
})
