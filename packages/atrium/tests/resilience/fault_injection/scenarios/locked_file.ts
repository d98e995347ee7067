import { setTimeout as sleep } from 'node:timers/promises'
import knex from 'knex'
import { clientOf } from '../helpers/client.js'
import { makePlace } from '../helpers/databases.js'
import { Server } from '../helpers/server.js'
import type { Scenario } from '../scenario.js'
import { countsOf } from './database_away.js'

/** Longer than the time that a write waits for the lock (5 s) */
const HELD = 12_000
const WRITERS = 20
/** Writes at the end of the queue wait for those before them, within the pool's timeout (15 s). */
const LONGEST = 25_000

export const lockedFile: Scenario = {
  name: 'locked',
  promise:
    'while another process holds the lock for too long, writes are 503 with Retry-After, reads go on, nobody hangs',
  databases: ['sqlite', 'better-sqlite3'],
  async run(kind) {
    const place = await makePlace(kind)
    let server: Server | undefined
    const other = knex({
      client: 'sqlite3',
      connection: { filename: place.variables.DB_DATABASE },
      useNullAsDefault: true,
    })
    try {
      server = await Server.start(place.variables)
      const { call, close } = clientOf(server.origin, WRITERS + 1)
      const broken = new Set<string>()
      const counts: Record<number, number> = {}
      let longest = 0
      let longestRead = 0
      const write = async () => {
        const { status, headers, took, body } = await call('POST', '/api/products', {
          name: 'Patient',
          description: 'x',
          category: 'y',
          price: 1,
        })
        longest = Math.max(longest, took)
        counts[status] = (counts[status] ?? 0) + 1
        if (status === 503 && !headers['retry-after']) broken.add('a 503 without Retry-After')
        if (status !== 503 && status !== 201) broken.add(`${status}: ${JSON.stringify(body)}`)
        return status
      }

      await other.raw('begin immediate')
      const writes = Array.from({ length: WRITERS }, write)
      const held = sleep(HELD)
      for (let i = 0; i < 20; i++) {
        const { status, took } = await call('GET', '/api/products')
        longestRead = Math.max(longestRead, took)
        if (status !== 200) broken.add(`reading is ${status} meanwhile`)
        await sleep(100)
      }
      await held
      await other.raw('rollback')
      await Promise.all(writes)
      if (!counts[503]) broken.add('nobody was told that the file is locked')
      if ((await write()) !== 201) broken.add('writing fails though the lock is gone')
      if (longest > LONGEST) broken.add(`a write took ${longest.toFixed(0)} ms`)
      close()
      return {
        figures: `${countsOf(counts)}; longest write ${(longest / 1000).toFixed(1)} s, longest read ${longestRead.toFixed(0)} ms`,
        broken: [...broken],
      }
    } finally {
      await other.destroy()
      await server?.kill()
      await place.remove()
    }
  },
}
