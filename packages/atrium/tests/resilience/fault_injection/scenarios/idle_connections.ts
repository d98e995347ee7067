import { once } from 'node:events'
import type { Socket } from 'node:net'
import { defineConfig } from '#crud/define_config'
import { clientOf } from '../helpers/client.js'
import { makePlace } from '../helpers/databases.js'
import { Server } from '../helpers/server.js'
import { openSocket } from '../helpers/sockets.js'
import type { Scenario } from '../scenario.js'

const GRACE = defineConfig().server.graceSeconds
const CONNECTIONS = 2000
const MEGABYTE = 1024 * 1024
/** Maximum memory per connection in kilobytes */
const EACH = 50

export const idleConnections: Scenario = {
  name: 'idle',
  promise: `beside ${CONNECTIONS} idle connections the others are served, and a stop does not wait for them`,
  databases: ['sqlite'],
  async run(kind) {
    const place = await makePlace(kind)
    let server: Server | undefined
    const sockets: Socket[] = []
    try {
      server = await Server.start(place.variables)
      const broken: string[] = []
      const { call, close } = clientOf(server.origin)
      for (let i = 0; i < 200; i++) await call('GET', '/api/products')
      const before = server.memory

      for (let i = 0; i < CONNECTIONS; i++) {
        const socket = await openSocket(server)
        sockets.push(socket)
        /* Half of them never send anything, the others stay open after a response. */
        if (i % 2 === 0) continue
        socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n')
        await once(socket, 'data')
      }
      const times: number[] = []
      for (let i = 0; i < 300; i++) {
        const { status, took } = await call('GET', '/api/products')
        if (status !== 200) broken.push(`others get ${status}`)
        times.push(took)
      }
      const after = server.memory
      const open = sockets.filter(({ destroyed }) => !destroyed).length
      if (open < CONNECTIONS) broken.push(`only ${open} connections are open`)
      const growth = after - before
      if (growth / 1024 / CONNECTIONS > EACH)
        broken.push(`each costs ${growth / CONNECTIONS} bytes`)

      const { status, took } = await server.stop()
      close()
      if (status !== 0) broken.push(`stopping ended with ${status}`)
      if (took > GRACE * 1000) broken.push(`stopping took ${took} ms`)
      const p99 = times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)]
      return {
        figures: `${open} open, memory +${(growth / MEGABYTE).toFixed(0)} MB, others p99 ${p99.toFixed(0)} ms, stopped in ${took.toFixed(0)} ms`,
        broken: broken.slice(0, 10),
      }
    } finally {
      for (const socket of sockets) socket.destroy()
      await server?.kill()
      await place.remove()
    }
  },
}
