import { randomUUID } from 'node:crypto'
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from './problem.js'
import { headersTooLarge, malformedRequest, malformedUrl, requestTimeout } from './problems.js'

/**
 * The HTTP server under the application: it answers what never becomes a request, and looks at the
 * id that a request brings before anything logs it. [A29]
 */
export function createNodeServer(handler: RequestListener): Server {
  const server = createServer((request, response) => {
    acceptRequestId(request)
    return handler(request, response)
  })
  server.on('clientError', answerClientError)
  return server
}

/**
 * Answers a URL whose percent signs encode nothing.
 */
export function answerBadUrl(request: IncomingMessage, response: ServerResponse): void {
  acceptRequestId(request)
  const { status, headers, body } = rawAnswer(malformedUrl())
  const id = request.headers['x-request-id'] as string | undefined
  response.writeHead(status, { ...headers, ...(id && { 'x-request-id': id }) })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** An id from outside is kept only if it can't break a log line or a header. */
function acceptRequestId(request: IncomingMessage): void {
  const id = request.headers['x-request-id']
  if (id !== undefined && !/^[A-Za-z0-9._-]{1,64}$/.test(String(id))) {
    delete request.headers['x-request-id']
  }
}

function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
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
