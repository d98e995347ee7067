import { once } from 'node:events'
import { Server, type ServerOptions, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from '@japa/runner'
import { checkLibrary, EarlyResponse } from '#upstream/node_early_response'

/** Server side of a connection after a response to a request that is mostly still to come. */
async function respondedEarly(options: ServerOptions): Promise<Socket> {
  const server = new Server(options)
  server.on('request', (_request, response: ServerResponse) => {
    response.writeHead(413, { 'connection': 'close', 'content-length': 0 }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {})
  const [[, response]] = await Promise.all([
    once(server, 'request') as Promise<[unknown, ServerResponse]>,
    client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nbegun'),
  ])
  const socket = response.req.socket
  if (!response.writableFinished) await once(response, 'finish')
  await turn()
  await turn()
  server.close()
  return socket
}

test.group('Responses that are sent before the request has arrived', () => {
  test('Node.js still loses an early response by closing the connection during the request', async ({
    assert,
  }) => {
    const socket = await respondedEarly({})
    assert.isTrue(socket.destroyed)
  })

  test('with the patch the connection stays readable, so that the client receives the response', async ({
    assert,
    cleanup,
  }) => {
    const socket = await respondedEarly({ ServerResponse: EarlyResponse })
    cleanup(() => void socket.destroy())
    assert.isFalse(socket.destroyed)
    assert.isTrue(socket.writableEnded)
  })

  test('a version of Node.js without destroySoon prevents the start', ({ assert }) => {
    assert.doesNotThrow(() => checkLibrary())
    assert.throws(() => checkLibrary({}), /^node .* has changed: net\.Socket#destroySoon\./)
  })
})
