import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from '@japa/runner'
import { createNodeServer } from '#host/node_server'
import { limitWriting } from '#host/write_limit'

const SECONDS = 0.4
const LIMITS = {
  graceSeconds: 8,
  headersSeconds: 20,
  requestSeconds: 120,
  writeSeconds: SECONDS,
  idleSeconds: 65,
}
const MEGABYTE = 1024 * 1024
/** More than the system itself keeps of what nobody reads */
const LONG = Buffer.alloc(24 * MEGABYTE, 'a')
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

async function listening(handler: RequestListener, limits: Partial<typeof LIMITS> = {}) {
  const server = createNodeServer(handler, { ...LIMITS, ...limits }).listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, port }
}

/** Reads all of it, with a pause after each piece. */
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

test.group('limitWriting', () => {
  test('[A29] who does not read the answer is cut off, and the memory is free', async ({
    assert,
    cleanup,
  }) => {
    const begun = Promise.withResolvers<ServerResponse>()
    const { server, port } = await listening((_request, response) => {
      begun.resolve(response)
      response.end(LONG)
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

  test('[A29] the same where the answer is written piece by piece', async ({ assert, cleanup }) => {
    const begun = Promise.withResolvers<ServerResponse>()
    const { server, port } = await listening(async (_request, response) => {
      begun.resolve(response)
      for (;;) if (!response.write(LONG.subarray(0, MEGABYTE))) await once(response, 'drain')
    })
    const socket = connect(port, 'localhost').on('error', () => {})
    cleanup(() => void [server.close(), socket.destroy()])
    socket.pause()
    socket.write(REQUEST)
    const response = await begun.promise
    const start = performance.now()
    await once(response, 'close')
    assert.isFalse(response.writableFinished)
    assert.isBelow(performance.now() - start, SECONDS * 1000 * 5)
  })

  test('[A29] who reads slowly, and goes on, gets all of it', async ({ assert, cleanup }) => {
    /* The system tells of progress in steps of some megabytes. */
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

  test('[A29] who reads more slowly than the least rate is cut off though it goes on', async ({
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

  test('[A29] a handler that takes longer than that still answers', async ({ assert, cleanup }) => {
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
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /late$/)
  })

  test('a connection that is kept and not used is closed after its own time', async ({
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
