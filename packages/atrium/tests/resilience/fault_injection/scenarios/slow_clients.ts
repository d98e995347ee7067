import { setTimeout as sleep } from 'node:timers/promises'
import { defineConfig } from '#crud/define_config'
import { clientOf } from '../helpers/client.js'
import { makePlace } from '../helpers/databases.js'
import { Server } from '../helpers/server.js'
import { openSocket, readToEnd, statusOf } from '../helpers/sockets.js'
import type { Scenario } from '../scenario.js'
import { countsOf } from './database_away.js'

const EACH = 200
const { headersSeconds, requestSeconds } = defineConfig().server
/** Tolerance in milliseconds, as the server checks timeouts at intervals */
const LATE = 15_000

export const slowClients: Scenario = {
  name: 'slow',
  promise: `who sends headers or a body drop by drop is told 408 and cut off in time; the others notice nothing`,
  databases: ['sqlite'],
  async run(kind) {
    const place = await makePlace(kind)
    let server: Server | undefined
    try {
      server = await Server.start(place.variables)
      const broken = new Set<string>()
      const before = server.memory
      const headers = drip(server, 'GET /api/products HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
      const body = drip(
        server,
        'POST /api/products HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"name":"'
      )

      const { call, close } = clientOf(server.origin)
      const times: number[] = []
      let isOver = false
      const others = (async () => {
        while (!isOver) {
          const { status, took } = await call('GET', '/api/products')
          if (status !== 200) broken.add(`others get ${status}`)
          times.push(took)
          await sleep(200)
        }
      })()
      const ends = await Promise.all([headers, body])
      isOver = true
      await others
      close()

      const limits = [headersSeconds, requestSeconds]
      for (const [index, { counts, last }] of ends.entries()) {
        if (counts[408] !== EACH) broken.add(`of ${EACH} slow clients: ${countsOf(counts)}`)
        if (last > limits[index] * 1000 + LATE) broken.add(`one was kept ${last.toFixed(0)} ms`)
      }
      const p99 = times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)]
      const growth = (server.memory - before) / 1024 / 1024
      return {
        figures: `headers: ${countsOf(ends[0].counts)} after ${seconds(ends[0].last)} s; bodies: ${countsOf(ends[1].counts)} after ${seconds(ends[1].last)} s; others p99 ${p99.toFixed(0)} ms; memory +${growth.toFixed(0)} MB`,
        broken: [...broken],
      }
    } finally {
      await server?.kill()
      await place.remove()
    }
  },
}

/** Many clients that begin a request and then send a byte per second. */
async function drip(server: Server, beginning: string) {
  const counts: Record<number, number> = {}
  let last = 0
  await Promise.all(
    Array.from({ length: EACH }, async () => {
      const socket = await openSocket(server)
      const begun = performance.now()
      socket.write(beginning)
      const timer = setInterval(() => socket.write('a'), 1000)
      const status = statusOf(await readToEnd(socket))
      clearInterval(timer)
      counts[status] = (counts[status] ?? 0) + 1
      last = Math.max(last, performance.now() - begun)
    })
  )
  return { counts, last }
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(0)
}
