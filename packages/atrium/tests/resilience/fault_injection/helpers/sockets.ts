import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import type { Server } from './server.js'

/** Opens a connection for raw bytes; its errors are ignored. */
export async function openSocket(server: Server): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => {})
  return socket
}

/** Reads until the server closes the connection. */
export function readToEnd(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => (text += chunk))
    socket.once('close', () => resolve(text))
  })
}

export function statusOf(response: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1] ?? 0)
}
