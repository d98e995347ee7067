/*
 * Node.js 24.21 (lib/_http_server.js): if a response is complete before its request, it closes the connection with
 * `destroySoon()`, while bytes of the request are still arriving. The kernel then resets the connection, and the client
 * can lose the response. RFC 9112, 9.6, recommends that a server continue to read for a short time.
 * https://github.com/nodejs/node/issues/12339 (closed without a change). The code can be removed when the test "Node.js
 * still loses an early response by closing the connection during the request" fails.
 */
import { type IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expectLibrary, hasMethods } from './expect_library.js'

/** Maximum time in milliseconds, and maximum number of bytes, for reading the rest of a request after its response */
const LINGER = { time: 2000, bytes: 4 * 1024 * 1024 }

/** Maximum number of bytes of a body that arrives with its headers */
const SHORT = 64 * 1024

export function checkLibrary(socket: object = Socket.prototype): void {
  expectLibrary('node', 'node_early_response', {
    'net.Socket#destroySoon': hasMethods(socket, 'destroySoon'),
  })
}

/**
 * A response that can be sent before the request is complete. If so, it is the last response of its connection, and the
 * rest of the request is read and discarded for a short time, so that the client receives the response.
 */
export class EarlyResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  writeHead(...given: any[]): this {
    const { req: request, socket } = this
    if (!request.complete && socket && mayBeLong(request)) {
      this.shouldKeepAlive = false
      socket.destroySoon = () => linger(socket, request)
    }
    return super.writeHead(...(given as Parameters<ServerResponse<Request>['writeHead']>))
  }
}

/** True if the body can be long. The rest of a short body arrives immediately, so that the connection can be reused. */
function mayBeLong({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > SHORT
}

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
