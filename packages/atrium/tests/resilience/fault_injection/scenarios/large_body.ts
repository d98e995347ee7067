import type { Socket } from 'node:net'
import { clientOf } from '../helpers/client.js'
import { makePlace } from '../helpers/databases.js'
import { Server } from '../helpers/server.js'
import { openSocket, readToEnd, statusOf } from '../helpers/sockets.js'
import { signInAs } from '../helpers/users.js'
import type { Scenario } from '../scenario.js'

const GIGABYTE = 1024 ** 3
const MEGABYTE = 1024 * 1024
const CHUNK = Buffer.alloc(64 * 1024, 'a')
/** Maximum number of bytes sent before the response: the limit of a form with files, and the buffers */
const MOST_SENT = 40 * MEGABYTE
const MOST_MEMORY = 100 * MEGABYTE

/** Path, headers, whether the length is declared, and the expected status */
const BODIES: Array<{
  path: string
  type: string
  isSigned?: boolean
  beginning?: string
  status: number[]
}> = [
  { path: '/api/products', type: 'application/json', status: [413] },
  { path: '/api/products', type: 'application/x-www-form-urlencoded', status: [413] },
  { path: '/api/products', type: 'text/plain', status: [413, 415] },
  { path: '/admin/login', type: 'application/x-www-form-urlencoded', status: [413] },
  {
    path: '/admin/Product/form_create',
    type: 'multipart/form-data; boundary=b',
    status: [303, 413],
  },
  {
    path: '/admin/Product/form_create',
    type: 'multipart/form-data; boundary=b',
    isSigned: true,
    status: [413],
  },
  {
    path: '/admin/Product/form_create',
    type: 'multipart/form-data; boundary=b',
    isSigned: true,
    beginning:
      '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\nContent-Type: image/png\r\n\r\n',
    status: [413],
  },
]

export const largeBody: Scenario = {
  name: 'body',
  promise:
    'a body of 1 GB is refused early, whether its length is said or not, and fills no memory',
  databases: ['sqlite'],
  async run(kind) {
    const place = await makePlace(kind)
    let server: Server | undefined
    let watch: NodeJS.Timeout | undefined
    try {
      server = await Server.start(place.variables)
      const cookie = await signInAs(server, 'jo')
      const broken: string[] = []
      const { call, close } = clientOf(server.origin)
      for (let i = 0; i < 300; i++) await call('GET', '/api/products')
      close()
      let most = 0
      const before = server.memory
      let peak = before
      watch = setInterval(() => (peak = Math.max(peak, server!.memory)), 20)
      for (const { path, type, isSigned, beginning = '', status: expected } of BODIES) {
        for (const isChunked of [false, true]) {
          const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${GIGABYTE}`
          const { status, sent } = await sendEndless(server, isChunked, beginning, [
            `POST ${path} HTTP/1.1`,
            'Host: localhost',
            `Content-Type: ${type}`,
            ...(isSigned ? [`Cookie: ${cookie}`] : []),
            length,
          ])
          most = Math.max(most, sent)
          const what = `POST ${path}, ${type}, ${length}`
          if (!expected.includes(status)) broken.push(`${what}: ${status}`)
          if (sent > MOST_SENT) broken.push(`${what}: took ${Math.round(sent / MEGABYTE)} MB`)
        }
      }
      const growth = peak - before
      if (growth > MOST_MEMORY) broken.push(`memory grew by ${Math.round(growth / MEGABYTE)} MB`)
      return {
        figures: `${BODIES.length * 2} bodies, at most ${(most / MEGABYTE).toFixed(1)} MB of one were taken, memory +${Math.round(growth / MEGABYTE)} MB`,
        broken,
      }
    } finally {
      clearInterval(watch)
      await server?.kill()
      await place.remove()
    }
  },
}

/**
 * Sends until the server stops it.
 *
 * @returns the number of bytes sent
 */
async function sendEndless(server: Server, isChunked: boolean, beginning: string, head: string[]) {
  const socket = await openSocket(server)
  let isOpen = true
  socket.once('close', () => (isOpen = false))
  socket.once('end', () => (isOpen = false))
  const response = readToEnd(socket)
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const framed = (bytes: Buffer) =>
    isChunked
      ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
      : bytes
  if (beginning) socket.write(framed(Buffer.from(beginning)))
  const chunk = framed(CHUNK)
  while (isOpen && socket.writable && socket.bytesWritten < GIGABYTE) {
    const goesOn = socket.write(chunk)
    if (goesOn) await new Promise((resolve) => setImmediate(resolve))
    else await drained(socket)
  }
  const sent = socket.bytesWritten
  socket.destroySoon()
  return { status: statusOf(await response), sent }
}

/** Waits until more can be sent or the connection is closed. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'end', 'close', 'error']
    const goOn = () => {
      for (const event of events) socket.off(event, goOn)
      resolve()
    }
    for (const event of events) socket.on(event, goOn)
  })
}
