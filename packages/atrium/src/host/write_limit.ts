import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Bytes per second that a client must read of a response on average, after its first seconds */
const LEAST_RATE = 32 * 1024

/** The time since a connection has had bytes to send, and the number it had sent by then */
interface Sending {
  since: number
  sent: number
}

/**
 * Closes connections whose client does not read its response: one that reads nothing for a time, or that
 * reads slower than the minimum rate. Otherwise the response would stay in memory for ever. Slow handlers
 * do not count, and slow clients that continue to read do not, either.
 *
 * @param seconds  maximum time in which a client reads nothing
 * @param sockets  the open connections, each with its last response
 * @param leastRate  bytes per second
 */
export function limitWriting(
  server: Server,
  seconds: number,
  sockets: ReadonlyMap<Socket, ServerResponse | undefined>,
  leastRate: number = LEAST_RATE
): void {
  /* Node.js reports a stalled write after one to two of these intervals. */
  server.setTimeout((seconds * 1000) / 2)
  server.on('timeout', (socket: Socket) => {
    const response = sockets.get(socket)
    const isWorking = response && !response.writableFinished && socket.writableLength === 0
    if (!isWorking) socket.destroy()
  })

  const sending = new WeakMap<Socket, Sending>()
  const look = () => {
    const now = performance.now()
    for (const socket of sockets.keys()) {
      const waiting = socket.writableLength
      const known = sending.get(socket)
      if (waiting === 0) sending.delete(socket)
      else if (!known) sending.set(socket, { since: now, sent: socket.bytesWritten - waiting })
      else {
        /* Data that a slow client does not read stays queued, so this grows no faster than it reads. */
        const given = socket.bytesWritten - known.sent
        if (now - known.since > (seconds + given / leastRate) * 1000) socket.destroy()
      }
    }
  }
  const timer = setInterval(look, Math.min(seconds * 250, 5000)).unref()
  server.once('close', () => clearInterval(timer))
}
