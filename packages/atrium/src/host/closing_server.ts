import type { crudConfig } from '#crud'
import { Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { EarlyResponse } from '#upstream/node_early_response'
import { limitWriting } from './write_limit.js'

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
      /* Browsers open connections in advance; Node.js treats these as if a request had begun. */
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
    /* Once its headers are sent, a response cannot announce to the client that it is the last one. */
    if (!response.closed) {
      response.once('close', () => setImmediate(() => this.closeIdleConnections()))
    }
  }
}
