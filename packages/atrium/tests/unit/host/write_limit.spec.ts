import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from '@japa/runner'
import { createNodeServer, limitWriting } from '#host/node_server'

const SECONDS = 0.4
const LIMITS = {
  graceSeconds: 8,
  headersSeconds: 20,
  requestSeconds: 120,
  writeSeconds: SECONDS,
  idleSeconds: 65,
}
const MEGABYTE = 1024 * 1024
/** More than the system buffers for a client that does not read */
const LONG = Buffer.alloc(24 * MEGABYTE, 'a')
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

async function listening(handler: RequestListener, limits: Partial<typeof LIMITS> = {}) {
  const server = createNodeServer(handler, { ...LIMITS, ...limits }).listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, port }
}

/** Reads everything, with a pause after each chunk. */
async function readSlowly(socket: Socket, pause: number): Promise<number> {
  let bytes = 0
  try {
    for await (const chunk of socket) {
      bytes += chunk.length
      await sleep(pause)
    }
  } catch {}
  return bytes
}

test.group('limitWriting()', () => {
  test('[A29] a client that does not read {what} is disconnected, and its memory is freed')
    .with([
      { what: 'its response', send: (response: ServerResponse) => void response.end(LONG) },
      {
        what: 'a streamed response',
        send: async (response: ServerResponse) => {
          for (;;) {
            if (!response.write(LONG.subarray(0, MEGABYTE))) await once(response, 'drain')
          }
        },
      },
    ])
    .run(async ({ assert, cleanup }, { send }) => {
      const begun = Promise.withResolvers<ServerResponse>()
      const { server, port } = await listening((_request, response) => {
        begun.resolve(response)
        return send(response)
      })
      const socket = connect(port, 'localhost').on('error', () => {})
      cleanup(() => void [server.close(), socket.destroy()])
      socket.pause()
      socket.write(REQUEST)
      const response = await begun.promise
      const start = performance.now()
      await once(response, 'close')

      assert.isFalse(response.writableFinished)
      assert.isAbove(performance.now() - start, SECONDS * 500)
      assert.isBelow(performance.now() - start, SECONDS * 1000 * 5)
      assert.equal(await new Promise((resolve) => server.getConnections((_, n) => resolve(n))), 0)
    })

  test('[A29] a client that reads slowly but steadily gets the complete response', async ({
    assert,
    cleanup,
  }) => {
    /* The system reports progress in steps of some megabytes. */
    const writeSeconds = 1
    const { server, port } = await listening((_request, response) => response.end(LONG), {
      writeSeconds,
    })
    const socket = connect(port, 'localhost')
    cleanup(() => void [server.close(), socket.destroy()])
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    const start = performance.now()
    assert.isAbove(await readSlowly(socket, 3), LONG.length)
    assert.isAbove(performance.now() - start, writeSeconds * 1000)
  })

  test('[A29] a client below the minimum rate is disconnected despite its progress', async ({
    assert,
    cleanup,
  }) => {
    const server = createServer((_request, response) => response.end(LONG))
    const sockets = new Map<Socket, ServerResponse | undefined>()
    server.on('connection', (socket) => sockets.set(socket, undefined))
    limitWriting(server, SECONDS, sockets, 100 * LONG.length)
    server.listen(0, 'localhost')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, 'localhost')
    cleanup(() => void [server.close(), socket.destroy()])
    socket.write(REQUEST)
    assert.isBelow(await readSlowly(socket, 5), LONG.length)
  })

  test('[A29] the time limit for writing a response does not limit how long its handler runs', async ({
    assert,
    cleanup,
  }) => {
    const { server, port } = await listening(
      async (_request, response) => {
        await sleep(300)
        response.end('late')
      },
      { writeSeconds: 0.1 }
    )
    const socket = connect(port, 'localhost')
    cleanup(() => void [server.close(), socket.destroy()])
    socket.write(REQUEST)
    const [response] = await once(socket, 'data')
    assert.match(String(response), /late$/)
  })

  test('an idle keep-alive connection is closed after its own timeout', async ({
    assert,
    cleanup,
  }) => {
    const { server, port } = await listening((_request, response) => response.end('done'), {
      writeSeconds: 0.1,
      idleSeconds: 1,
    })
    const socket = connect(port, 'localhost')
    cleanup(() => void [server.close(), socket.destroy()])
    socket.write(REQUEST)
    await once(socket, 'data')
    const start = performance.now()
    await once(socket, 'close')
    assert.isAbove(performance.now() - start, 800)
  })
})
