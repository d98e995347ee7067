import { Server, ServerResponse, type IncomingMessage, type ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { CrudConfig } from '#crud/define_config'
import { limitWriting } from './write_limit.js'

/** What is kept of the grace time for all that comes after the last answer: events, pools */
const LAST_STEPS = 3000

/** How long, in milliseconds and in bytes, what was refused is still taken, so that the answer is read */
const LINGER = { time: 2000, bytes: 4 * 1024 * 1024 }

/**
 * An HTTP server with limits for slow clients, and an end: told to close, it takes no new connection,
 * lets the answers that are due go out with `Connection: close`, and cuts off what is not done when its
 * time is over. Node.js by itself would wait for a request that never ends, and serve one after the
 * other on a connection that is kept.
 */
export class ClosingServer extends Server {
  /* Each with its last answer. No set of answers: from a set that forever gets and loses members, what is
   * long gone keeps the next ones from being collected. */
  readonly #sockets = new Map<Socket, ServerResponse | undefined>()
  readonly #patience: number
  #isClosing = false

  /**
   * @param limits  in seconds
   */
  constructor(limits: CrudConfig['server'], options: ServerOptions = {}) {
    super({
      ...options,
      ServerResponse: EarlyResponse,
      headersTimeout: limits.headersSeconds * 1000,
      requestTimeout: limits.requestSeconds * 1000,
      keepAliveTimeout: limits.idleSeconds * 1000,
      /* How often the first two are looked at; its default is as long as the shortest of them. */
      connectionsCheckingInterval: Math.min(limits.headersSeconds * 100, 5000),
    })
    this.#patience = Math.max(limits.graceSeconds * 1000 - LAST_STEPS, 500)
    this.on('connection', (socket: Socket) => {
      this.#sockets.set(socket, undefined)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    limitWriting(this, limits.writeSeconds, this.#sockets)
    this.prependListener('request', (_request, response) => this.#expect(response))
  }

  close(callback?: (error?: Error) => void): this {
    this.#isClosing = true
    setTimeout(() => this.closeAllConnections(), this.#patience).unref()
    super.close(callback)

    for (const [socket, response] of this.#sockets) {
      if (response) this.#endWith(response)
      /* Browsers open connections in advance; to Node.js they count as having begun a request. */
      else if (socket.bytesRead === 0) socket.destroy()
    }
    return this
  }

  #expect(response: ServerResponse): void {
    if (this.#isClosing) this.#endWith(response)
    else this.#sockets.set(response.req.socket, response)
  }

  #endWith(response: ServerResponse): void {
    if (!response.headersSent) response.shouldKeepAlive = false
    /* Of an answer whose headers were out already the client does not know that it is the last. */
    if (!response.closed) {
      response.once('close', () => setImmediate(() => this.closeIdleConnections()))
    }
  }
}

/**
 * An answer that may be given before the request is complete. It is the last one of its connection then:
 * Node.js would read to the end what nobody wants. But a connection that is closed while something still
 * comes takes the answer with it, so for a moment that is read and thrown away.
 */
class EarlyResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  writeHead(...given: any[]): this {
    const { req: request, socket } = this
    if (!request.complete && socket && mayBeLong(request)) {
      this.shouldKeepAlive = false
      socket.destroySoon = () => linger(socket, request)
    }
    return super.writeHead(...(given as Parameters<ServerResponse<Request>['writeHead']>))
  }
}

/** The rest of a short body is there at once, and its connection worth keeping. */
function mayBeLong({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > SHORT
}

/** Bytes */
const SHORT = 64 * 1024

function linger(socket: Socket, request: IncomingMessage): void {
  socket.end()
  const most = socket.bytesRead + LINGER.bytes
  const timer = setTimeout(() => socket.destroy(), LINGER.time).unref()
  socket.once('close', () => clearTimeout(timer))
  request.once('end', () => socket.destroy())
  request.on('data', () => {
    if (socket.bytesRead > most) socket.destroy()
  })
}
