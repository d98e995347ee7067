import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Bytes a second that a client must take of an answer on average, after its first seconds */
const LEAST_RATE = 32 * 1024

/** Since when a connection has had bytes to send, and how many it had sent by then */
interface Sending {
  since: number
  sent: number
}

/**
 * Closes connections whose client does not take its answer: one that takes nothing for so long, or
 * whose answer takes longer than that at the least rate. What is due to it would stay in memory for ever.
 * A handler that takes its time is not meant, nor is a slow client that goes on reading.
 *
 * @param seconds  for which a client may take nothing
 * @param sockets  the open connections, each with its last answer
 * @param leastRate  bytes a second
 */
export function limitWriting(
  server: Server,
  seconds: number,
  sockets: ReadonlyMap<Socket, ServerResponse | undefined>,
  leastRate: number = LEAST_RATE
): void {
  /* Node.js tells after one to two of these spans that nothing more of a write has gone out. */
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
        /* What a slow client does not take is not handed to it, so this grows no faster than it reads. */
        const given = socket.bytesWritten - known.sent
        if (now - known.since > (seconds + given / leastRate) * 1000) socket.destroy()
      }
    }
  }
  const timer = setInterval(look, Math.min(seconds * 250, 5000)).unref()
  server.once('close', () => clearInterval(timer))
}
