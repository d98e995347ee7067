import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { resources } from '#crud'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { call, del, get, patch, post } from '#tests/helpers/http'

const FIXED = {
  type: 'about:blank',
  title: 'Internal Server Error',
  status: 500,
  detail: 'The server made a mistake; it was logged',
}

/** Makes a method fail until the end of the test. */
function breakMethod(
  target: object,
  name: string,
  error: unknown,
  cleanup: (callback: () => void) => void
) {
  const own = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, {
    value: () => Promise.reject(error),
    configurable: true,
    writable: true,
  })
  cleanup(() => {
    if (own) Object.defineProperty(target, name, own)
    else delete (target as any)[name]
  })
}

const OPERATIONS: Array<[name: string, method: string, path: string, json?: unknown]> = [
  ['create', 'POST', '', { name: 'x' }],
  ['get', 'GET', '/1'],
  ['getMulti', 'GET', ''],
  ['update', 'PATCH', '/1', { name: 'x' }],
  ['delete', 'DELETE', '/1'],
  ['dbDelete', 'DELETE', '/db_delete/1'],
]

test.group('Problems', (group) => {
  group.each.setup(async () => {
    await db.from('route_items').delete()
    await db.table('route_items').insert({ id: 1, name: 'one' })
  })

  test('[A4] {0} {1} returns {2} as a problem')
    .with([
      ['GET', '/api/nothing', 404, 'There is no such endpoint'],
      ['GET', '/api', 404, 'There is no such endpoint'],
      ['GET', '/api/', 404, 'There is no such endpoint'],
      ['GET', '/api/route-items/1/2/3', 404, 'There is no such endpoint'],
      ['GET', '/api/route-items/99', 404, 'Item not found'],
      ['PUT', '/api/route-items', 405, 'This path allows GET, HEAD, POST, OPTIONS'],
      ['GET', '/api/route-items/abc', 422, '"abc" can\'t be an id of this resource'],
      ['GET', '/api/route-items/%zz', 400, 'The URL has an invalid percent encoding'],
      ['POST', '/api/route-items', 400, 'The body is not valid JSON: it is empty'],
    ] as const)
    .run(async ({ assert }, [method, path, status, detail]) => {
      const response = await call(method, path, {
        headers: method === 'POST' ? { 'content-type': 'application/json' } : {},
      })
      assert.equal(response.status, status)
      assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
      const { type, title, ...rest } = response.body
      assert.equal(type, 'about:blank')
      assert.isString(title)
      assert.deepEqual(rest, { status, detail })
    })

  test('[A4] the problem of a failed validation names every invalid field', async ({ assert }) => {
    const response = await post('/api/route-items', { note: 5 })
    assert.equal(response.status, 422)
    assert.match(response.headers.get('content-type')!, /^application\/problem\+json/)
    assert.deepEqual(
      response.body.errors.map((error: object) => Object.keys(error)),
      Array(2).fill(['field', 'rule', 'message'])
    )
    assert.sameMembers(
      response.body.errors.map(({ field }: { field: string }) => field),
      ['name', 'note']
    )
  })

  test('[A4] a client that accepts HTML also gets a problem', async ({ assert }) => {
    const response = await get('/api/route-items/99', { headers: { accept: 'text/html' } })
    assert.match(response.headers.get('content-type')!, /^application\/problem\+json/)
  })

  test('[A29, A26] an internal error in {0} is a 500, and the log has its details')
    .with(OPERATIONS)
    .run(async ({ assert, cleanup }, [name, method, path, json]) => {
      const { crud } = resources.endpoints().find((one) => one.path === '/api/route-items')!
      breakMethod(crud, name, new TypeError('select * from route_items in crud.ts'), cleanup)
      const log = captureLog(cleanup)
      const response = await call(method, `/api/route-items${path}`, { json })

      assert.equal(response.status, 500)
      assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
      assert.deepEqual(response.body, FIXED)
      const [line] = log().filter(({ level }) => level === ERROR_LEVEL)
      assert.equal(line.msg, 'select * from route_items in crud.ts')
      assert.equal(line.request_id, response.headers.get('x-request-id'))
      assert.include(line.err!.stack, 'problems.spec.ts')
    })

  test('[A29] an error of the database driver is a 500 without details', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    const { schema } = db.connection()
    await schema.renameTable('route_items', 'route_items_away')
    cleanup(() => db.connection().schema.renameTable('route_items_away', 'route_items') as any)

    const responses = [
      await get('/api/route-items'),
      await get('/api/route-items/1'),
      await post('/api/route-items', { name: 'x' }),
      await patch('/api/route-items/1', { name: 'x' }),
      await del('/api/route-items/1'),
    ]
    const errors = log().filter(({ level }) => level === ERROR_LEVEL)
    assert.lengthOf(errors, responses.length)
    responses.forEach(({ status, body, headers, text }, index) => {
      assert.equal(status, 500)
      assert.deepEqual(body, FIXED)
      assert.notMatch(text, /route_items|select|SQLITE|relation|table/i)
      assert.match(errors[index].msg, /no such table|does(?: not|n't) exist/)
      assert.equal(errors[index].request_id, headers.get('x-request-id'))
    })
  })

  test('[A29] whatever application code throws becomes a 500 without details: {0}')
    .with([
      ['error', 'route_words exploded in /srv/app.ts'],
      ['text', 'route_words exploded as a string'],
      ['upstream', 'upstream said route_words'],
      ['nothing', 'undefined'],
      ['null', 'null'],
    ])
    .run(async ({ assert, cleanup }, [kind, message]) => {
      const log = captureLog(cleanup)
      const response = await get(`/api/route-words/failure/${kind}`)

      assert.equal(response.status, 500)
      assert.deepEqual(response.body, FIXED)
      const lines = log()
      assert.lengthOf(lines, 1)
      assert.equal(lines[0].level, ERROR_LEVEL)
      assert.equal(lines[0].msg, message)
      assert.equal(lines[0].request_id, response.headers.get('x-request-id'))
    })

  test('[A29] client errors are not logged as errors', async ({ assert, cleanup }) => {
    const log = captureLog(cleanup)
    await get('/api/nothing')
    await get('/api/route-items/99')
    await get('/api/route-items/abc')
    await post('/api/route-items', {})

    assert.lengthOf(
      log().filter(({ level }) => level >= ERROR_LEVEL),
      0
    )
  })
})
