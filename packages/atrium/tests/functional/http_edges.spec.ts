import { once } from 'node:events'
import { connect } from 'node:net'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { get, post } from '#tests/helpers/http'
import { exchange, type RawResponse } from '#tests/helpers/raw_http'

const HOST = 'Host: localhost'
const CLOSE = 'Connection: close'

test.group('Malformed and unusual HTTP', (group) => {
  group.each.setup(async () => {
    await db.from('route_items').delete()
  })

  function assertProblem(assert: any, { status, headers, body }: RawResponse, expected: number) {
    assert.equal(status, expected)
    assert.match(headers['content-type'], /^application\/problem\+json/)
    assert.deepEqual(Object.keys(body), ['type', 'title', 'status', 'detail'])
    assert.equal(body.status, expected)
    assert.equal(headers['content-length'], String(Buffer.byteLength(JSON.stringify(body))))
    assert.match(headers['x-request-id'], /^[\w-]{36}$/)
  }

  test('[A29] a malformed URL is refused with problem details and 400: {0}')
    .with([
      '/api/route-items/%zz',
      '/api/route-items/%',
      '/api/route-items/%C0%80',
      '/api/%E0%A4/1',
      '/%zz',
      '/api/route-items?name=%zz',
      '/api/route-items?%zz=1',
      '/api/route-items?name=%C3%28',
    ])
    .run(async ({ assert }, url) => {
      const response = await exchange(`GET ${url} HTTP/1.1`, HOST, CLOSE)
      assertProblem(assert, response, 400)
      assert.include(response.body.detail, 'percent encoding')
    })

  test('[A29] a malformed request is refused: {0}')
    .with([
      ['NONSENSE'],
      ['GET /api/route-items HTTP/9.9', HOST],
      ['G@T /api/route-items HTTP/1.1', HOST],
      ['GET /api/route-items HTTP/1.1', HOST, 'No colon here'],
      ['GET /api/route-items HTTP/1.1', HOST, 'Bad Name: x'],
      ['GET /api/route-items HTTP/1.1', HOST, 'X-Nul: a\0b'],
      ['GET /api/route-items HTTP/1.1', CLOSE],
      ['POST /api/route-items HTTP/1.1', HOST, 'Content-Length: five'],
      ['POST /api/route-items HTTP/1.1', HOST, 'Content-Length: 1', 'Content-Length: 2'],
      ['POST /api/route-items HTTP/1.1', HOST, 'Content-Length: 1', 'Transfer-Encoding: chunked'],
      ['POST /api/route-items HTTP/1.1', HOST, 'Transfer-Encoding: chunked', '', 'zz'],
    ])
    .run(async ({ assert }, lines) => {
      const response = await exchange(...lines)
      assertProblem(assert, response, 400)
      assert.equal(response.body.detail, 'The request is not valid HTTP')
    })

  test('[A29] a malformed HEAD request is refused without a body', async ({ assert }) => {
    const response = await exchange('HEAD /api/route-items HTTP/1.1', HOST, 'X-Nul: a\0b')
    assert.equal(response.status, 400)
    assert.equal(response.body, '')
    assert.isAbove(Number(response.headers['content-length']), 0)
  })

  test('[A29] headers that are too large are refused', async ({ assert }) => {
    const long = `X-Long: ${'a'.repeat(20_000)}`
    const response = await exchange('GET /api/route-items HTTP/1.1', HOST, long)
    assertProblem(assert, response, 431)
  })

  test('[A29] a request with an unknown Expect header is refused', async ({ assert }) => {
    const response = await exchange('GET /api/route-items HTTP/1.1', HOST, CLOSE, 'Expect: magic')
    assertProblem(assert, response, 417)
  })

  test('a request with Expect: 100-continue is accepted', async ({ assert }) => {
    const socket = connect(Number(process.env.PORT), process.env.HOST)
    const lines = ['POST /api/route-items HTTP/1.1', HOST, CLOSE, 'Expect: 100-continue']
    const json = ['Content-Type: application/json', 'Content-Length: 12']
    socket.write(`${[...lines, ...json].join('\r\n')}\r\n\r\n`)
    const [first] = await once(socket, 'data')
    assert.equal(String(first), 'HTTP/1.1 100 Continue\r\n\r\n')
    socket.write('{"name":"x"}')
    const [second] = await once(socket, 'data')
    assert.include(String(second), 'HTTP/1.1 201 Created')
    socket.destroy()
  })

  test('a request of HTTP/1.0 does not need a Host header', async ({ assert }) => {
    const response = await exchange('GET /api/route-items HTTP/1.0')
    assert.equal(response.status, 200)
    assert.deepEqual(response.body, { data: [], total_count: 0 })
  })

  test('[A29] the server serves other clients after a malformed request and after a reset connection', async ({
    assert,
  }) => {
    await exchange('NONSENSE')
    const socket = connect(Number(process.env.PORT), process.env.HOST)
    socket.write('GET /api/route-items HTTP/1.1\r\nHost: localhost\r\n')
    socket.resetAndDestroy()
    const response = await get('/api/route-items')
    assert.equal(response.status, 200)
  })

  test('[A29] a body 20,000 levels deep is refused', async ({ assert }) => {
    for (const [open, close] of [
      ['{"name":', '1}'],
      ['[', ']'],
    ]) {
      const body = open.repeat(20_000) + close.repeat(20_000)
      const response = await post('/api/route-items', undefined, {
        body,
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(response.status, 400)
      assert.equal(response.body.detail, 'The body nests more than 32 levels deep')
    }
  })
})
