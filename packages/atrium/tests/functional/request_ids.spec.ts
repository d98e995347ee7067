import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { call, post, type HttpResponse } from '#tests/helpers/http'
import { exchange } from '#tests/helpers/raw_http'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test.group('Request ids', (group) => {
  group.each.setup(async () => {
    await db.from('route_items').delete()
    await db.table('route_items').insert({ id: 1, name: 'one' })
  })

  test('[A26] every response has a request id: {0} {1} -> {2}')
    .with([
      ['GET', '/api/route-items', 200],
      ['GET', '/api/route-items/1', 200],
      ['HEAD', '/api/route-items/1', 200],
      ['DELETE', '/api/route-items/1', 200],
      ['DELETE', '/api/route-items/db_delete/1', 200],
      ['OPTIONS', '/api/route-items/1', 204],
      ['GET', '/api/route-items/%zz', 400],
      ['GET', '/api/route-items?page=1&limit=1', 400],
      ['GET', '/api/route-items/99', 404],
      ['GET', '/api/nothing', 404],
      ['PUT', '/api/route-items/1', 405],
      ['GET', '/api/route-items/abc', 422],
      ['GET', '/api/route-words/failure/error', 500],
      ['GET', '/api/route-words/custom', 200],
    ] as const)
    .run(async ({ assert }, [method, path, status]) => {
      const response = await call(method, path)
      assert.equal(response.status, status)
      assert.match(response.headers.get('x-request-id')!, UUID)
    })

  test('[A26] responses to writes have a request id too', async ({ assert }) => {
    const responses: HttpResponse[] = [
      await post('/api/route-items', { name: 'x' }),
      await post('/api/route-items', {}),
      await call('POST', '/api/route-items', { json: { name: 'x'.repeat(2_000_000) } }),
      await call('PATCH', '/api/route-items/1', { json: { name: 'y' } }),
    ]
    assert.deepEqual(
      responses.map(({ status }) => status),
      [201, 422, 413, 200]
    )
    responses.forEach(({ headers }) => assert.match(headers.get('x-request-id')!, UUID))
    assert.equal(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size, 4)
  })

  test('[A29] a valid request id sent by the client is used')
    .with(['a', 'A-z_0.9', '-', 'x'.repeat(64)])
    .run(async ({ assert }, id) => {
      for (const path of ['/api/route-items', '/api/nothing', '/api/%zz']) {
        const { headers } = await call('GET', path, { headers: { 'x-request-id': id } })
        assert.equal(headers.get('x-request-id'), id)
      }
    })

  test('[A29] an invalid request id sent by the client is replaced')
    .with(['x'.repeat(65), 'a b', 'a/b', 'a,b', 'a"b', '<b>', 'é', '{}', 'a\tb', ''])
    .run(async ({ assert }, id) => {
      for (const path of ['/api/route-items', '/api/%zz']) {
        const { headers } = await exchange(
          `GET ${path} HTTP/1.1`,
          'Host: localhost',
          'Connection: close',
          `X-Request-Id: ${id}`
        )
        assert.match(headers['x-request-id'], UUID)
      }
    })

  test('[A29] two request ids sent by the client are ignored', async ({ assert }) => {
    const { headers } = await exchange(
      'GET /api/route-items HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      'X-Request-Id: one',
      'X-Request-Id: two'
    )
    assert.match(headers['x-request-id'], UUID)
  })
})
