import { randomUUID } from 'node:crypto'
import {
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  Server,
  type ServerResponse,
  type ServerOptions,
} from 'node:http'
import type { Socket } from 'node:net'
import type { CrudConfig } from '#crud/define_config'
import { crudConfig } from '#crud/settings'
import { isBelowPrefix } from '#crud/endpoints/generated_routes'
import type { Problem } from '#base/errors'
import {
  headersTooLarge,
  malformedRequest,
  malformedUrl,
  misdirected,
  requestTimeout,
  unknownExpectation,
} from '#base/http/problems'
import { securityHeaders } from '#base/http/security_headers'
import { innerUrl, stripBase, withBase } from '#base/http/base_path'
import { isServed, servedHosts } from '#base/http/served_hosts'
import { EarlyResponse } from '#upstream/node_early_response'

/**
 * Creates the HTTP server of the application. It responds to requests that reach no route, checks a request's id before
 * it is logged, serves only the application's host names, and adds the request id and the security headers to every
 * response.
 *
 * @param limits  limits in seconds; default: those of `config/crud.ts`
 * @throws ValueError  for invalid `hosts` in config/app.ts
 */
export function createNodeServer(
  handler: RequestListener,
  limits: CrudConfig['server'] = crudConfig().server
): Server {
  servedHosts()
  const server = new ClosingServer(limits, { requireHostHeader: false })
  server.on('request', (request, response) => {
    acceptRequestId(request)
    /* Sets the id for log and response, without the cost of a middleware for each request. */
    const id = (request.headers['x-request-id'] ??= randomUUID())
    response.setHeader('x-request-id', id)
    secure(response)
    stripBase(request)
    if (lacksHost(request)) return reply(request, response, malformedRequest())
    if (!isServed(request)) return respondMisdirected(request, response)
    return handler(request, response)
  })
  server.on('checkExpectation', (request, response) => {
    acceptRequestId(request)
    secure(response)
    reply(request, response, unknownExpectation())
  })
  server.on('clientError', (error: ClientError, socket: Socket) => {
    /* A second response must not replace a pending one. */
    const isLost = error.code === 'ECONNRESET' || !socket.writable || server.isResponding(socket)
    if (isLost) socket.destroy()
    else respondToClientError(error, socket)
  })
  return server
}

type HeadersOfPath = (path: string) => Record<string, string>

const HEADERS_OF_PATHS: HeadersOfPath[] = []

/**
 * Adds headers of a part of the application to responses that this server sends itself, before routing.
 *
 * @param headersOf  called with the path as it was sent, without the query
 */
export function addRawHeaders(headersOf: HeadersOfPath): void {
  HEADERS_OF_PATHS.push(headersOf)
}

/** Responds with 400 to a URL with invalid percent encoding: `onBadUrl` of config/app.ts. */
export function respondToBadUrl(request: IncomingMessage, response: ServerResponse): void {
  acceptRequestId(request)
  reply(request, response, malformedUrl())
}

function secure(response: ServerResponse): void {
  for (const [name, value] of securityHeaders()) response.setHeader(name, value)
}

/** Responds to a request for a host that is not served: browsers get a page, other clients a problem. */
function respondMisdirected(request: IncomingMessage, response: ServerResponse): void {
  const problem = misdirected()
  const isPage = /\btext\/html\b/.test(request.headers.accept ?? '')
  if (!isPage || isBelowPrefix(pathOf(request))) return reply(request, response, problem)
  const { status, title, message } = problem
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${status} ${title}</title>`
  const body = `<!doctype html><html lang="en">${head}<h1>${title}</h1><p>${message}</p></html>\n`
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Returns the path with the base path, as those of the engine's parts have it. */
function pathOf(request: IncomingMessage): string {
  const url = innerUrl(request)
  return withBase(url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0])
}

function reply(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  const { status, headers, body } = rawResponse(problem)
  const id = request.headers['x-request-id'] as string | undefined
  const added = HEADERS_OF_PATHS.map((headersOf) => headersOf(pathOf(request)))
  response.writeHead(
    status,
    Object.assign({}, ...added, headers, id === undefined ? {} : { 'x-request-id': id })
  )
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** True if a required `Host` header is missing. Node.js itself would respond without a body. */
function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined
}

/** Removes a client's request id unless it is safe in a log line and a header. */
function acceptRequestId(request: IncomingMessage): void {
  const id = request.headers['x-request-id']
  if (id !== undefined && !/^[A-Za-z0-9._-]{1,64}$/.test(String(id))) {
    delete request.headers['x-request-id']
  }
}

type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer }

function respondToClientError(error: ClientError, socket: Socket): void {
  const { status, headers, body } = rawResponse(problemOf(error))
  const lines = [...Object.entries(headers), ...securityHeaders()].map(
    ([name, value]) => `${name}: ${value}`
  )
  /* A client that sent HEAD would interpret a body as the next response. */
  const isHead = error.rawPacket?.subarray(0, 5).toString() === 'HEAD '
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\nconnection: close\r\n\r\n${isHead ? '' : body}`
  )
}

function problemOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout()
  return malformedRequest()
}

function rawResponse(problem: Problem) {
  const body = JSON.stringify(problem)
  return {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'x-request-id': randomUUID(),
    },
    body,
  }
}

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
class ClosingServer extends Server {
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
  constructor(limits: CrudConfig['server'], options: ServerOptions = {}) {
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
