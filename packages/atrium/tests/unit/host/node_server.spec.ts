import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { test } from '@japa/runner'
import { createNodeServer } from '#host/node_server'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const LIMITS = {
  graceSeconds: 8,
  headersSeconds: 20,
  requestSeconds: 120,
  writeSeconds: 30,
  idleSeconds: 65,
}

async function listening(handler: RequestListener, limits: Partial<typeof LIMITS> = {}) {
  const server = createNodeServer(handler, { ...LIMITS, ...limits }).listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, port }
}

async function readAll(socket: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

test.group('The HTTP server of the application', () => {
  test('[A29] a request id that contains a line break never reaches the application', async ({
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
      socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${id}\r\n\r\n`)
    }
    socket.end('GET / HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n')
    await readAll(socket)

    assert.deepEqual(seen.slice(0, 2), ids.slice(0, 2))
    assert.lengthOf(seen, 8)
    for (const id of seen.slice(2)) assert.match(id as string, UUID)
  })

  test('[A26] the request id of a response is the one that the application uses', async ({
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
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\n\r\n')
    socket.end('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const responses = await readAll(socket)

    const carried = [...responses.matchAll(/^x-request-id: (.*)\r$/gm)].map(([, id]) => id)
    assert.equal(carried[0], 'mine')
    assert.match(carried[1], UUID)
    assert.deepEqual(carried, seen)
  })

  test('[A29] a request that does not arrive in time gets a problem as its response', async ({
    assert,
    cleanup,
  }) => {
    const { server, port } = await listening(() => assert.fail('There was no request'))
    cleanup(() => void server.close())
    const socket = connect(port, 'localhost')
    socket.write('GET / HTTP/1.1\r\nHost:')
    const [connection] = await once(server, 'connection')
    const error = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', error, connection)

    const response = await readAll(socket)
    assert.match(response, /^HTTP\/1\.1 408 Request Timeout\r\n/)
    assert.include(response, 'content-type: application/problem+json')
    assert.include(response, '"detail":"The request took too long to arrive"')
  })

  test('nothing is written to a connection that is already broken', async ({ assert, cleanup }) => {
    const { server, port } = await listening(() => {})
    cleanup(() => void server.close())
    const socket = connect(port, 'localhost')
    const [connection] = await once(server, 'connection')
    server.emit('clientError', Object.assign(new Error(), { code: 'ECONNRESET' }), connection)

    assert.equal(await readAll(socket), '')
    assert.isTrue(connection.destroyed)
  })

  test('the response to a malformed request does not replace a pending one', async ({
    assert,
    cleanup,
  }) => {
    const { server, port } = await listening(() => {})
    cleanup(() => void server.close())
    const due = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const begun = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
    for (const sent of [`${due}not HTTP\r\n\r\n`, `${due}${begun}no length\r\n`]) {
      const socket = connect(port, 'localhost')
      socket.write(sent)
      assert.equal(await readAll(socket), '')
    }
    const alone = connect(port, 'localhost')
    alone.write(`${begun}no length\r\n`)
    assert.match(await readAll(alone), /^HTTP\/1\.1 400 /)
  })

  test('a request whose {part} is sent too slowly gets a problem as its response')
    .with([
      { part: 'head', head: 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ' },
      {
        part: 'body',
        head: 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n',
      },
    ])
    .run(async ({ assert }, { part, head }) => {
      let requests = 0
      const limits = { headersSeconds: 0.1, ...(part === 'body' && { requestSeconds: 0.2 }) }
      const { server, port } = await listening(() => void requests++, limits)
      const socket = connect(port, 'localhost')
      socket.write(head)
      const drip = setInterval(() => socket.write('a'), 20)

      assert.match(await readAll(socket), /^HTTP\/1\.1 408 /)
      clearInterval(drip)
      server.close()
      assert.equal(requests, part === 'body' ? 1 : 0)
    })

  test('closing the server completes a pending response, which is the last of its connection', async ({
    assert,
  }) => {
    const late = Promise.withResolvers<() => void>()
    const { server, port } = await listening((_request, response) =>
      late.resolve(() => response.end('done'))
    )
    const socket = connect(port, 'localhost')
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const response = await late.promise
    const closed = new Promise((resolve) => server.close(resolve))
    response()

    const text = await readAll(socket)
    assert.match(text, /^connection: close\r$/im)
    assert.match(text, /done/)
    await closed
  })

  test('closing the server does not cut off a response that is being sent, and closes its connection after it', async ({
    assert,
  }) => {
    const begun = Promise.withResolvers<ServerResponse>()
    const { server, port } = await listening((_request, response) => {
      response.writeHead(200, { 'content-length': 8 }).write('half')
      begun.resolve(response)
    })
    const socket = connect(port, 'localhost')
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const response = await begun.promise
    const closed = new Promise((resolve) => server.close(resolve))
    response.end('half')

    assert.match(await readAll(socket), /halfhalf$/)
    await closed
  })

  test('closing the server ends idle connections, and cuts off responses that take too long', async ({
    assert,
  }) => {
    const { server, port } = await listening(() => {}, { graceSeconds: 3 })
    const silent = connect(port, 'localhost')
    await once(server, 'connection')
    const endless = connect(port, 'localhost').on('error', () => {})
    endless.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx')
    await once(server, 'request')

    const order: string[] = []
    silent.once('close', () => order.push('silent'))
    endless.once('close', () => order.push('endless'))
    silent.resume()
    endless.resume()
    await new Promise((resolve) => server.close(resolve))
    await Promise.all([silent, endless].map((one) => one.closed || once(one, 'close')))
    assert.deepEqual(order, ['silent', 'endless'])
  })

  test('[A6] a client that gets a response before its body was received can read it, and is then disconnected', async ({
    assert,
    cleanup,
  }) => {
    const { server, port } = await listening((_request, response) => {
      response.writeHead(413, { 'content-length': 3 })
      response.end('no\n')
    })
    cleanup(() => void server.close())
    for (const length of ['Content-Length: 1073741824', 'Transfer-Encoding: chunked']) {
      const socket = connect(port, 'localhost').on('error', () => {})
      const response = readAll(socket).catch(() => '')
      socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`)
      const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`
      while (!socket.destroyed && socket.writable && socket.bytesWritten < 1_073_741_824) {
        if (socket.write(chunk)) await new Promise((resolve) => setImmediate(resolve))
        else
          await new Promise((resolve) => ['drain', 'close'].map((at) => socket.once(at, resolve)))
      }
      assert.match(await response, /^HTTP\/1\.1 413 [^]*connection: close[^]*no\n$/i)
      assert.isBelow(socket.bytesWritten, 40_000_000)
    }
  })

  test('a connection stays open after a response if the body was complete or missing', async ({
    assert,
    cleanup,
  }) => {
    const { server, port } = await listening((_request, response) => response.end('ok'))
    cleanup(() => void server.close())
    const socket = connect(port, 'localhost')
    for (const rest of ['\r\n', 'Content-Length: 2\r\n\r\nhi']) {
      socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${rest}`)
      const [response] = await once(socket, 'data')
      assert.notMatch(String(response), /connection: close/i)
    }
    socket.destroy()
  })
})
