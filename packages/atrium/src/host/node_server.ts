import { randomUUID } from 'node:crypto'
import {
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { CrudConfig } from '#crud/define_config'
import { crudConfig } from '#crud/settings'
import { ClosingServer } from './closing_server.js'
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
