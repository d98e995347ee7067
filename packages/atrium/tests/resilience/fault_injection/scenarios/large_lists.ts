import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf } from '../helpers/client.js'
import { makePlace } from '../helpers/databases.js'
import { probe } from '../helpers/prober.js'
import { Server } from '../helpers/server.js'
import { openSocket } from '../helpers/sockets.js'
import type { Scenario } from '../scenario.js'
import { countsOf } from './database_away.js'

const RECORDS = 400
/** Characters; the body must fit into a megabyte */
const LONG = 1_000_000
const LISTS = 12
const SILENT = 12
/** Heap limit in megabytes, where the default is thousands */
const HEAP = 256
/** Maximum response time of a probe in milliseconds, in addition to that of an idle server */
const MOST_WAIT = 100
const WAYS = [
  'limit=1000',
  'limit=100',
  'limit=25',
  'itemsPerPage=30&page=1',
  'limit=25&count=false',
]

export const largeLists: Scenario = {
  name: 'lists',
  promise: `lists of records of a megabyte each end no process: ${LISTS} at once, with a heap of ${HEAP} MB, and clients that read nothing`,
  databases: ['sqlite', 'better-sqlite3', 'postgres', 'mysql'],
  async run(kind) {
    const place = await makePlace(kind)
    let server: Server | undefined
    let watch: NodeJS.Timeout | undefined
    try {
      server = await Server.start({
        ...place.variables,
        NODE_OPTIONS: `--max-old-space-size=${HEAP}`,
      })
      const broken = new Set<string>()
      const { call, close } = clientOf(server.origin, LISTS)
      let most = server.memory
      watch = setInterval(() => (most = Math.max(most, server!.memory)), 50)
      const write = async (i: number) => {
        const { status } = await call('POST', '/api/products', {
          name: `long ${i}`,
          description: (i % 2 ? 'x' : '"').repeat(i % 2 ? LONG : LONG / 3),
          category: 'long',
          price: 1,
        })
        if (status !== 201) broken.add(`a record was answered with ${status}`)
      }
      for (let i = 0; i < RECORDS; i += 4) await Promise.all([0, 1, 2, 3].map((n) => write(i + n)))
      const silent = await Promise.all(
        Array.from({ length: SILENT }, async () => {
          const socket = await openSocket(server!)
          socket.pause()
          socket.write(
            'GET /api/products?category=long&limit=25 HTTP/1.1\r\nHost: localhost\r\n\r\n'
          )
          return socket
        })
      )
      await sleep(2000)
      const small = await call('GET', '/api/products?category=long&fields=id,name&limit=1000')
      if (small.body?.data?.length !== RECORDS) broken.add(`a small list: ${small.status}`)
      for (const socket of silent) socket.destroy()
      await sleep(500)

      const probed = probe(`${server.origin}/health/live`)
      const counts: Record<number, number> = {}
      for (const way of WAYS) {
        const responses = await Promise.all(
          Array.from({ length: LISTS }, () => call('GET', `/api/products?category=long&${way}`))
        )
        for (const { status } of responses) {
          counts[status] = (counts[status] ?? 0) + 1
          if (![200, 413, 503].includes(status)) broken.add(`${way}: ${status}`)
        }
      }
      const { waits, control, failures } = await probed()
      if (failures > 0) broken.add(`${failures} probes were not answered with 200`)
      const after = await call('GET', '/api/products?category=long&limit=20')
      if (after.status !== 200) broken.add(`afterwards a list was answered with ${after.status}`)
      close()

      const [late, unavoidable] = [p99Of(waits), p99Of(control)]
      if (late > MOST_WAIT + unavoidable) broken.add(`a probe waited ${late.toFixed(0)} ms (p99)`)
      if (!counts[413]) broken.add('no list was refused')
      if (!counts[200]) broken.add('no list was answered')
      return {
        figures: `${countsOf(counts)}; probe p99 ${late.toFixed(0)} ms (of an idle server ${unavoidable.toFixed(0)} ms), ${waits.length} probes; memory at most ${(most / 1024 / 1024).toFixed(0)} MB`,
        broken: [...broken],
      }
    } finally {
      clearInterval(watch)
      await server?.kill()
      await place.remove()
    }
  },
}

function p99Of(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0
}
