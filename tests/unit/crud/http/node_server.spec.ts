import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { test } from '@japa/runner'
import { createNodeServer } from '#crud/http/node_server'

async function listening(handler: RequestListener) {
  const server = createNodeServer(handler).listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, port }
}

async function readAll(socket: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

test.group('createNodeServer', () => {
  test('[A29] an id that could break a line never reaches the application', async ({
    assert,
    cleanup,
  }) => {
    const seen: unknown[] = []
    const { server, port } = await listening(({ headers }, response) => {
      seen.push(headers['x-request-id'])
      response.end()
    })
    cleanup(() => void server.close())
    const socket = connect(port, 'localhost')
    const ids = ['A-z_0.9', 'x'.repeat(64), 'x'.repeat(65), 'a b', 'a,b', 'ä', '']
    for (const id of ids) {
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n\r\n`)
    }
    socket.end('GET / HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n')
    await readAll(socket)

    assert.deepEqual(seen, [...ids.slice(0, 2), ...Array(6).fill(undefined)])
  })

  test('[A29] a request that does not arrive in time is a problem', async ({ assert, cleanup }) => {
    const { server, port } = await listening(() => assert.fail('There was no request'))
    cleanup(() => void server.close())
    const socket = connect(port, 'localhost')
    socket.write('GET / HTTP/1.1\r\nHost:')
    const [connection] = await once(server, 'connection')
    const error = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', error, connection)

    const answer = await readAll(socket)
    assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
    assert.include(answer, 'content-type: application/problem+json')
    assert.include(answer, '"detail":"The request took too long to arrive"')
  })

  test('nothing is written to a connection that broke', async ({ assert, cleanup }) => {
    const { server, port } = await listening(() => {})
    cleanup(() => void server.close())
    const socket = connect(port, 'localhost')
    const [connection] = await once(server, 'connection')
    server.emit('clientError', Object.assign(new Error(), { code: 'ECONNRESET' }), connection)

    assert.equal(await readAll(socket), '')
    assert.isTrue(connection.destroyed)
  })
})
