import { randomUUID } from 'node:crypto'
import {
  Server,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from './problem.js'
import {
  headersTooLarge,
  malformedRequest,
  malformedUrl,
  requestTimeout,
  unknownExpectation,
} from './problems.js'

/* Enough for any answer under way; process managers wait ten seconds before they kill. */
const CLOSING_TIME = 5000

/**
 * Node.js waits for every connection that has begun a request, and when it closes it no longer looks
 * at its own time limits: half a request would keep the process alive for ever.
 */
class ClosingServer extends Server {
  close(callback?: (error?: Error) => void): this {
    setTimeout(() => this.closeAllConnections(), CLOSING_TIME).unref()
    return super.close(callback)
  }
}

/**
 * The HTTP server under the application: it answers what never becomes a request, and looks at the
 * id that a request brings before anything logs it. [A29]
 */
export function createNodeServer(handler: RequestListener): Server {
  const server = new ClosingServer({ requireHostHeader: false }, (request, response) => {
    acceptRequestId(request)
    if (lacksHost(request)) return answer(request, response, malformedRequest())
    return handler(request, response)
  })
  server.on('checkExpectation', (request, response) => {
    acceptRequestId(request)
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

function answer(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  const { status, headers, body } = rawAnswer(problem)
  const id = request.headers['x-request-id'] as string | undefined
  const path = (request.url ?? '').replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0]
  const added = HEADERS_OF_PATHS.map((headersOf) => headersOf(path))
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

function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  /* An answer that is due or under way must not get another one in its place. */
  const { _httpMessage: pending } = socket as { _httpMessage?: ServerResponse }
  const isAnswering = pending && (pending.headersSent || pending.req.complete)
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy()
    return
  }
  const { status, headers, body } = rawAnswer(problemOf(error))
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`
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
