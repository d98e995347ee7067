import { parseArgs } from 'node:util'
import { OURS } from './compare/contenders.js'
import { startEntrants, stopEntrants } from './compare/entrants.js'
import { loadOf } from './compare/measure.js'
import { OPERATIONS, type OperationName } from './compare/operations.js'
import { scratchFolder } from './helpers/application.js'
import { loadGenerator, putLoad, type LoadRequest } from './helpers/load.js'
import { driversOption, integerOption } from './helpers/options.js'
import { median, sameNumbers } from './helpers/statistics.js'
import { tableOf } from './helpers/table.js'

const CONNECTIONS = 20

/** Requests of each operation among a hundred */
const SHARES: Partial<Record<OperationName, number>> = {
  'read one': 80,
  'list page': 10,
  'create': 5,
  'update': 5,
}

/** Maximum 99th percentile of a minute in milliseconds, and maximum growth of the memory after the first half */
const TARGETS = { p99: 50, growth: 1.1 }

/**
 * Sends reads, lists and writes in random order, and reports latency and memory of each minute. Fails if the median of
 * the minutes' 99th percentiles or the growth of the memory misses its target.
 */
export async function measureMixedLoad(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      drivers: { type: 'string' },
      minutes: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const otherwise = values.quick ? 2 : 10
  const minutes = integerOption('minutes', values.minutes, { least: 2, otherwise })
  for (const driver of driversOption(values.drivers)) {
    const folder = scratchFolder()
    const [entrant] = await startEntrants(driver, [OURS], folder.path)
    try {
      console.log(`${driver}, ${CONNECTIONS} connections by ${loadGenerator()}\n`)
      const load = { ...loadOf(OPERATIONS[0], entrant, 60, CONNECTIONS), requests: mixed() }
      const rows: Array<{ perSecond: number; p99: number; rss: number; heap: number }> = []
      for (let minute = 0; minute < minutes; minute++) {
        const { perSecond, p99 } = await putLoad(load)
        const { rss } = await entrant.server.usage()
        rows.push({ perSecond, p99, rss, heap: await entrant.server.liveHeap() })
      }
      console.log(report(rows))
      const p99 = median(rows.map((row) => row.p99))
      const half = rows[Math.floor((minutes - 1) / 2)].heap
      const growth = rows.at(-1)!.heap / half
      console.log(
        `\np99 ${p99.toFixed(0)} ms (target ${TARGETS.p99}), live heap ${growth.toFixed(2)} times that of the half\n`
      )
      if (p99 > TARGETS.p99 || growth > TARGETS.growth) process.exitCode = 1
    } finally {
      await stopEntrants([entrant])
      folder.remove()
    }
  }
}

/** Returns the requests of the operations in random order, the same in each run. */
function mixed(): LoadRequest[] {
  const random = sameNumbers(3)
  return OPERATIONS.flatMap(({ name, requests }) => requests.slice(0, (SHARES[name] ?? 0) * 10))
    .map((request) => ({ request, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ request }) => request)
}

function report(
  rows: ReadonlyArray<{ perSecond: number; p99: number; rss: number; heap: number }>
): string {
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)
  return tableOf(
    ['minute', 'requests/s', 'p99 ms', 'RSS MB', 'live heap MB'],
    rows.map(({ perSecond, p99, rss, heap }, index) => [
      String(index + 1),
      perSecond.toFixed(0),
      p99.toFixed(0),
      megabytes(rss),
      megabytes(heap),
    ])
  )
}
