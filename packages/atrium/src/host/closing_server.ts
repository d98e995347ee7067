import type { crudConfig } from '#crud'
import { Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { EarlyResponse } from '#upstream/node_early_response'

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

/** Part of the grace time in milliseconds that is reserved for the steps after the last response: events, pools */
const LAST_STEPS = 3000

/**
 * An HTTP server with limits for slow clients and an orderly shutdown: on close, it accepts no new connections, sends
 * the pending responses with `Connection: close`, and closes the remaining connections when the time is over. Node.js
 * by itself would wait for a request that never ends, and serve further requests on a keep-alive connection.
 */
export class ClosingServer extends Server {
  /*
   * Each socket with its last response. Not a set of responses: in a set to which members are constantly added and
   * removed, old entries prevent newer ones from being garbage-collected.
   */
  readonly #sockets = new Map<Socket, ServerResponse | undefined>()
  readonly #graceTime: number
  #isClosing = false

  /**
   * Creates the server.
   *
   * @param limits  limits in seconds
   */
  constructor(limits: ReturnType<typeof crudConfig>['server'], options: ServerOptions = {}) {
    super({
      ...options,
      ServerResponse: EarlyResponse,
      headersTimeout: limits.headersSeconds * 1000,
      requestTimeout: limits.requestSeconds * 1000,
      keepAliveTimeout: limits.idleSeconds * 1000,
      /* Interval of the check of the first two limits; the default is as long as the shorter of them. */
      connectionsCheckingInterval: Math.min(limits.headersSeconds * 100, 5000),
    })
    this.#graceTime = Math.max(limits.graceSeconds * 1000 - LAST_STEPS, 500)
    this.on('connection', (socket: Socket) => {
      this.#sockets.set(socket, undefined)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    limitWriting(this, limits.writeSeconds, this.#sockets)
    for (const event of ['request', 'checkExpectation'] as const) {
      this.prependListener(event, (_request, response) => this.#expect(response))
    }
  }

  close(callback?: (error?: Error) => void): this {
    this.#isClosing = true
    setTimeout(() => this.closeAllConnections(), this.#graceTime).unref()
    super.close(callback)

    for (const [socket, response] of this.#sockets) {
      if (response) this.#endWith(response)
      /* Connections that browsers open in advance are closed: Node.js treats them as if a request had begun. */
      else if (socket.bytesRead === 0) socket.destroy()
    }
    return this
  }

  /**
   * True if a response on the connection is being sent, or pending for a complete request. The client would mistake a
   * second response for that one, or for a part of it.
   */
  isResponding(socket: Socket): boolean {
    const last = this.#sockets.get(socket)
    if (!last || last.writableFinished) return false
    /* A response without a socket waits for the previous response. */
    return last.socket === null || last.headersSent || last.req.complete
  }

  #expect(response: ServerResponse): void {
    this.#sockets.set(response.req.socket, response)
    if (this.#isClosing) this.#endWith(response)
  }

  #endWith(response: ServerResponse): void {
    if (!response.headersSent) response.shouldKeepAlive = false
    /*
     * A response whose headers are sent cannot announce that it is the last one, so its connection is closed
     * afterwards.
     */
    if (!response.closed) {
      response.once('close', () => setImmediate(() => this.closeIdleConnections()))
    }
  }
}
