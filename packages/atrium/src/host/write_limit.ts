import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Average number of bytes per second that a client must read of a response, after its first seconds */
const LEAST_RATE = 32 * 1024

/** The time since which a connection has had bytes to send, and the number of bytes that it had sent by then */
interface Sending {
  since: number
  sent: number
}

/**
 * Closes connections whose client does not read its response: it reads nothing for some time, or reads slower than the
 * minimum rate. Otherwise the response would remain in memory indefinitely. Slow handlers, and slow clients that
 * continue to read at the minimum rate, are not affected.
 *
 * @param seconds  maximum time in which a client reads nothing
 * @param sockets  the open connections, each with its last response
 * @param leastRate  minimum rate in bytes per second
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
        /*
         * Data that a slow client does not read remains queued, so this number grows no faster than the client reads.
         */
        const given = socket.bytesWritten - known.sent
        if (now - known.since > (seconds + given / leastRate) * 1000) socket.destroy()
      }
    }
  }
  const timer = setInterval(look, Math.min(seconds * 250, 5000)).unref()
  server.once('close', () => clearInterval(timer))
}
