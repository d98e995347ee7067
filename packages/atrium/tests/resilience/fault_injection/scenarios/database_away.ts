import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf } from '../helpers/client.js'
import { allProducts, disagreements } from '../helpers/agreement.js'
import { makePlace } from '../helpers/databases.js'
import { Server } from '../helpers/server.js'
import { signInAs } from '../helpers/users.js'
import type { Scenario } from '../scenario.js'

const WORKERS = 8
const SECONDS = { before: 3, away: 5, after: 5 }
/** Maximum response time in milliseconds */
const LONGEST = 20_000

type Phase = keyof typeof SECONDS

export const databaseAway: Scenario = {
  name: 'away',
  promise:
    'with its database gone the server answers 503 with Retry-After, and works again without a restart',
  databases: ['postgres', 'mysql'],
  async run(kind) {
    const place = await makePlace(kind)
    let server: Server | undefined
    try {
      server = await Server.start(place.variables)
      const cookie = await signInAs(server, 'jo')
      const { call, close } = clientOf(server.origin, WORKERS + 2)
      const broken = new Set<string>()
      const counts: Record<Phase, Record<number, number>> = { before: {}, away: {}, after: {} }
      const created = new Set<number>()
      let phase: Phase = 'before'
      let longest = 0
      let isOver = false

      const request = (worker: number, turn: number) => {
        if (worker === 0) {
          return call('GET', '/admin/Product/', undefined, { cookie, accept: 'text/html' })
        }
        if ((worker + turn) % 2 === 0) return call('GET', '/api/products?limit=10')
        return call('POST', '/api/products', {
          name: `Product ${worker}.${turn}`,
          description: 'x',
          category: 'y',
          price: 1,
        })
      }
      const work = Array.from({ length: WORKERS }, async (_, worker) => {
        for (let turn = 0; !isOver; turn++) {
          const begunIn: Phase = phase
          const response = await request(worker, turn)
          longest = Math.max(longest, response.took)
          counts[phase][response.status] = (counts[phase][response.status] ?? 0) + 1
          if (response.status === 201) created.add(response.body.id)
          if (response.status < 400 && response.status >= 200) continue
          if (response.status !== 503)
            broken.add(`${response.status} ${begunIn}: ${shown(response.body)}`)
          else if (!response.headers['retry-after']) broken.add('a 503 without Retry-After')
          else if (begunIn !== 'away' && phase === begunIn) broken.add(`503 ${begunIn} it was away`)
          await sleep(50)
        }
      })

      await sleep(SECONDS.before * 1000)
      phase = 'away'
      await place.server!.crash()
      await sleep(1000)
      const live = await call('GET', '/health/live')
      const ready = await call('GET', '/health/ready')
      if (live.status !== 200) broken.add(`/health/live is ${live.status} meanwhile`)
      if (ready.status !== 503) broken.add(`/health/ready is ${ready.status} meanwhile`)
      await sleep(SECONDS.away * 1000 - 1000)
      await place.server!.start()
      const back = performance.now()
      let recovery: number | undefined
      while (recovery === undefined && performance.now() - back < 30_000) {
        const { status } = await call('GET', '/health/ready')
        if (status === 200) recovery = performance.now() - back
        else await sleep(50)
      }
      if (recovery === undefined) broken.add('not ready 30 s after the database was back')
      /* Requests from the outage may still wait for a connection. */
      await sleep(1000)
      phase = 'after'
      await sleep(SECONDS.after * 1000)
      isOver = true
      await Promise.all(work)

      if (longest > LONGEST) broken.add(`somebody waited ${longest.toFixed(0)} ms`)
      const items = await allProducts(call)
      for (const id of created) if (!items.has(id)) broken.add(`product ${id} is lost`)
      for (const error of await disagreements(place, items)) broken.add(error)
      close()
      return {
        figures: [
          ...Object.entries(counts).map(([name, some]) => `${name}: ${countsOf(some)}`),
          `longest answer ${(longest / 1000).toFixed(1)} s`,
          `ready ${Math.round(recovery ?? 0)} ms after the database`,
        ].join('; '),
        broken: [...broken].slice(0, 10),
      }
    } finally {
      await server?.kill()
      await place.remove()
    }
  },
}

/** Formats numbers of responses by status: `7 x 200, 2 x 503` */
export function countsOf(counts: Record<number, number>): string {
  return Object.entries(counts)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ')
}

function shown(body: unknown): string {
  return (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 200)
}
