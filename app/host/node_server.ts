import { randomUUID } from 'node:crypto'
import {
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { CrudConfig } from '#crud/define_config'
import { crudConfig } from '#crud/settings'
import { ClosingServer } from './closing_server.js'
import { isBelowPrefix } from '#crud/endpoints/generated_routes'
import type { Problem } from '#crud/http/problem'
import {
  headersTooLarge,
  malformedRequest,
  malformedUrl,
  misdirected,
  requestTimeout,
  unknownExpectation,
} from '#crud/http/problems'
import { securityHeaders } from '#crud/http/security_headers'
import { isServed, servedHosts } from '#crud/http/served_hosts'

/**
 * The HTTP server under the application: it answers what never becomes a request, looks at the id that
 * a request brings before anything logs it, serves no name but ours, and gives every answer its request's
 * id and the headers that keep browsers careful. [A26, A29]
 *
 * @param limits  in seconds; those of `config/crud.ts` if left out
 * @throws ValueError  when `hosts` of config/app.ts can't be
 */
export function createNodeServer(
  handler: RequestListener,
  limits: CrudConfig['server'] = crudConfig().server
): Server {
  servedHosts()
  const server = new ClosingServer(limits, { requireHostHeader: false })
  server.on('request', (request, response) => {
    acceptRequestId(request)
    /* The log and the answer have it from here, without a middleware's work for each request. */
    const id = (request.headers['x-request-id'] ??= randomUUID())
    response.setHeader('x-request-id', id)
    secure(response)
    if (lacksHost(request)) return answer(request, response, malformedRequest())
    if (!isServed(request)) return answerMisdirected(request, response)
    return handler(request, response)
  })
  server.on('checkExpectation', (request, response) => {
    acceptRequestId(request)
    secure(response)
    answer(request, response, unknownExpectation())
  })
  server.on('clientError', answerClientError)
  return server
}

type HeadersOfPath = (path: string) => Record<string, string>

const HEADERS_OF_PATHS: HeadersOfPath[] = []

/**
 * Lets a part of the application add headers to what is answered here, before there is a route.
 *
 * @param headersOf  given the path as it was sent, without the query
 */
export function addRawHeaders(headersOf: HeadersOfPath): void {
  HEADERS_OF_PATHS.push(headersOf)
}

/**
 * Answers a URL whose percent signs encode nothing.
 */
export function answerBadUrl(request: IncomingMessage, response: ServerResponse): void {
  acceptRequestId(request)
  answer(request, response, malformedUrl())
}

function secure(response: ServerResponse): void {
  for (const [name, value] of securityHeaders()) response.setHeader(name, value)
}

/** People get a page, programs a problem. */
function answerMisdirected(request: IncomingMessage, response: ServerResponse): void {
  const problem = misdirected()
  const isPage = /\btext\/html\b/.test(request.headers.accept ?? '')
  if (!isPage || isBelowPrefix(pathOf(request))) return answer(request, response, problem)
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

function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0]
}

function answer(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  const { status, headers, body } = rawAnswer(problem)
  const id = request.headers['x-request-id'] as string | undefined
  const added = HEADERS_OF_PATHS.map((headersOf) => headersOf(pathOf(request)))
  response.writeHead(
    status,
    Object.assign({}, ...added, headers, id === undefined ? {} : { 'x-request-id': id })
  )
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Node.js itself would answer without a word. */
function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined
}

/** An id from outside is kept only if it can't break a log line or a header. */
function acceptRequestId(request: IncomingMessage): void {
  const id = request.headers['x-request-id']
  if (id !== undefined && !/^[A-Za-z0-9._-]{1,64}$/.test(String(id))) {
    delete request.headers['x-request-id']
  }
}

type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer }

function answerClientError(error: ClientError, socket: Duplex): void {
  /* An answer that is due or under way must not get another one in its place. */
  const { _httpMessage: pending } = socket as { _httpMessage?: ServerResponse }
  const isAnswering = pending && (pending.headersSent || pending.req.complete)
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy()
    return
  }
  const { status, headers, body } = rawAnswer(problemOf(error))
  const lines = [...Object.entries(headers), ...securityHeaders()].map(
    ([name, value]) => `${name}: ${value}`
  )
  /* Who asked for headers alone would take a body for the next answer. */
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

function rawAnswer(problem: Problem) {
  const body = JSON.stringify(problem)
  return {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': randomUUID(),
    },
    body,
  }
}
