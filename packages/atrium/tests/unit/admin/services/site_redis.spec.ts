import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { test } from '@japa/runner'

const { Redis } = createRequire(import.meta.url)('ioredis')

test.group('ioredis errors', () => {
  test('an error of ioredis by itself still contains the password', async ({ assert, cleanup }) => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('data', () => socket.write('-WRONGPASS wrong password\r\n'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const redis = new Redis({ port, host: '127.0.0.1', password: 'secret', retryStrategy: null })
    cleanup(() => {
      redis.disconnect()
      server.close()
    })
    const [error] = await once(redis as any, 'error').catch((invalid) => [invalid])
    assert.deepEqual(error.command, { name: 'auth', args: ['secret'] })
  })
})
