import { createServer, type AddressInfo } from 'node:net'

/**
 * A port that nobody listens on: servers beside each other must not meet.
 */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, 'localhost', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
