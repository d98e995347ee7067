import app from '@adonisjs/core/services/app'
import encryption from '@adonisjs/core/services/encryption'
import { test } from '@japa/runner'
import { EngineRouter } from '#base/http/engine_router'
import { queryStrings } from '#crud/mount/mounted_parts'

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
  later(['/api/choirs'], ['/api/choirs', '/api/choirs/:id'])
  later(['/api/choirs/prizes'], ['/api/choirs/prizes', '/api/choirs/prizes/:id'])
  later(['/admin/Choir', '/admin/history/Choir'], ['/admin/Choir/list', '/admin/history/Choir/:id'])
  router.commit()
  const found = (path: string) => router.match(path, 'GET', false)?.route.pattern
  return { router, made, found }
}

test.group('Routes of the engine', () => {
  test('[K9.5] the routes below a path are created at the first request to one of them', ({
    assert,
  }) => {
    const { made, found } = setUp()
    assert.equal(found('/api/about'), '/api/about')
    assert.isUndefined(found('/api/unknown'))
    assert.deepEqual(made, [])

    assert.equal(found('/admin/history/Choir/3'), '/admin/history/Choir/:id')
    assert.equal(found('/admin/Choir/list'), '/admin/Choir/list')
    assert.deepEqual(made, ['/admin/Choir'])
    assert.isUndefined(found('/admin/Choir/nothing'))
  })

  test('[K9.5] routes below the longest matching path are matched first, then those below shorter ones', ({
    assert,
  }) => {
    const { found } = setUp()
    assert.equal(found('/api/choirs/prizes'), '/api/choirs/prizes')
    assert.equal(found('/api/choirs/prizes/3'), '/api/choirs/prizes/:id')
    assert.equal(found('/api/choirs/3'), '/api/choirs/:id')
    assert.equal(found('/api/choirs/'), '/api/choirs')
  })

  test('[K9.5] the route list contains all routes, and listing those below some paths creates no others', ({
    assert,
  }) => {
    const { router, made } = setUp()
    const patterns = (routes: ReturnType<typeof router.toJSON>) =>
      routes.root.map(({ pattern }) => pattern)
    assert.deepEqual(patterns(router.routesAt(['/api/choirs/:id', '/:page'])), [
      '/api/about',
      '/api/choirs',
      '/api/choirs/:id',
    ])
    assert.deepEqual(made, ['/api/choirs'])
    assert.lengthOf(patterns(router.toJSON()), 7)
  })

  test('[K9.5] if the registration of some routes fails, other routes are available, and it is repeated at the next request', ({
    assert,
  }) => {
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
