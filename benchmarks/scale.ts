/*
 * Whether lists stay as quick as the database is, with 1,000,000 rows: each beside the best SQL for it,
 * run directly on the driver in the same process. `npm run bench:scale [-- --drivers=NAMES --rounds=N]`
 */
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { openDriver, type BareDriver } from './contenders/bare/driver.js'
import { scratchFolder, startApplication } from './helpers/application.js'
import type { BenchDatabase } from './helpers/bench_database.js'
import { PostgresDatabase } from './helpers/postgres_database.js'
import { products, type ProductRow } from './helpers/products.js'
import { SqliteDatabase } from './helpers/sqlite_database.js'
import { median } from './helpers/statistics.js'
import { tableOf } from './helpers/table.js'
import { TimedClient } from './helpers/timed_client.js'
import { casesFor, COLUMNS, COMMON, RARE, ROWS, type Case } from './scale/cases.js'
import { inProcesses } from './scale/in_processes.js'

const ALLOWED = { ratio: 1.3, growth: 64, filling: 60 }
/* What a request costs beside its SQL is the other benchmark's matter. */
const REQUEST = 1
const KEYSET_PAGE = 1000
const MEGABYTE = 2 ** 20

const { values: options } = parseArgs({
  options: {
    drivers: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    driver: { type: 'string' },
  },
})

/* An application has one database, so each driver gets a process. */
if (options.driver === undefined) {
  const both = ['sqlite3', 'better-sqlite3']
  const all = process.env.BENCH_POSTGRES_URL ? [...both, 'postgres'] : both
  await inProcesses(options.drivers?.split(',') ?? all, import.meta.filename)
} else {
  await benchDriver(options.driver, Number(options.rounds))
}

async function benchDriver(driver: string, rounds: number) {
  const folder = scratchFolder()
  const end: Array<() => Promise<void>> = []
  try {
    const start = performance.now()
    const database = await createDatabase(driver, folder.path)
    end.push(() => database.remove())
    await database.fill(rows())
    const seconds = (performance.now() - start) / 1000
    console.log(
      `${driver}: ${ROWS} rows in ${seconds.toFixed(0)} s (at most ${ALLOWED.filling}) ${verdict(seconds <= ALLOWED.filling)}\n`
    )
    await database.close()

    const running = await startApplication(database.variables)
    end.push(running.stop)
    Object.assign(process.env, { BENCH_DRIVER: driver, BENCH_DATABASE: database.location })
    const bare = await openDriver()
    const client = new TimedClient()
    const lines: string[][] = []
    for (const one of casesFor(driver)) lines.push(await compare(one, client, bare, rounds))
    lines.push(await readToTheEnd(client, bare))
    console.log(`${tableOf(['', 'ours ms', 'driver ms', 'ratio', '', 'MB more'], lines)}\n`)
    client.close()
  } finally {
    for (const one of end.toReversed()) await one()
    folder.remove()
  }
  process.exit()
}

async function createDatabase(driver: string, folder: string): Promise<BenchDatabase> {
  if (driver === 'postgres') {
    return await PostgresDatabase.create('atrium_scale', process.env.BENCH_POSTGRES_URL!)
  }
  const connection = driver === 'sqlite3' ? 'sqlite' : driver
  return SqliteDatabase.create(join(folder, 'db.sqlite3'), connection)
}

/** Two of the categories have as many rows as a filter is to match. */
function* rows(): Generator<ProductRow> {
  for (const row of products(ROWS)) {
    if (row.id % (ROWS / RARE) === 1) row.category = 'Rare'
    else if (row.id % 2 === 0 && row.id <= 2 * COMMON) row.category = 'Common'
    yield row
  }
}

async function compare(
  { name, query, statements }: Case,
  client: TimedClient,
  bare: BareDriver,
  rounds: number
): Promise<string[]> {
  const prepared = statements.map(({ sql, values }) => {
    const run = bare.prepare(sql)
    return () => run(values)
  })
  const times = { ours: [] as number[], driver: [] as number[] }
  const before = memory()
  for (let round = -3; round < rounds; round++) {
    const { time, text } = await client.get(`/api/products?${query}`)
    const start = performance.now()
    const [found] = await Promise.all(prepared.map((run) => run()))
    const driver = performance.now() - start
    checkSame(name, JSON.parse(text).data, found)
    if (round < 0) continue
    times.ours.push(time)
    times.driver.push(driver)
  }
  return line(name, median(times.ours), median(times.driver), memory() - before)
}

function checkSame(name: string, ours: Array<{ id: number }>, found: Array<Record<string, any>>) {
  const ids = (items: Array<Record<string, any>>) => items.map(({ id }) => id).join()
  if (ids(ours) !== ids(found)) {
    throw new Error(`${name}: ours has the rows ${ids(ours)}, the driver ${ids(found)}`)
  }
}

/** The whole table by `cursor`, page by page. */
async function readToTheEnd(client: TimedClient, bare: BareDriver): Promise<string[]> {
  const before = memory()
  const next = bare.prepare(
    `select ${COLUMNS} from products where is_deleted = false and id > ? order by id limit ${KEYSET_PAGE}`
  )
  let driver = 0
  let [last, seen] = [0, 0]
  for (;;) {
    const start = performance.now()
    const found = await next([last])
    driver += performance.now() - start
    if (found.length === 0) break
    last = Number(found[found.length - 1].id)
  }

  let ours = 0
  let cursor: string | null = ''
  while (cursor !== null) {
    const path = `/api/products?limit=${KEYSET_PAGE}&cursor=${encodeURIComponent(cursor)}`
    const { text, time } = await client.get(path)
    const answer: { data: unknown[]; next_cursor?: string | null } = JSON.parse(text)
    /* An application that knows no cursor answers every request with the first page. */
    if (answer.next_cursor === undefined)
      return ['keyset paging to the end', '', '', 'no cursor', '', '']
    ours += time
    seen += answer.data.length
    cursor = answer.next_cursor
  }
  if (seen !== ROWS) throw new Error(`Keyset paging shows ${seen} of ${ROWS} rows`)
  return line('keyset paging to the end', ours, driver, memory() - before)
}

function line(name: string, ours: number, driver: number, grown: number): string[] {
  const ratio = ours / driver
  const isQuick = ratio <= ALLOWED.ratio || ours - driver <= REQUEST
  const isSmall = grown / MEGABYTE <= ALLOWED.growth
  return [
    name,
    ours.toFixed(2),
    driver.toFixed(2),
    ratio.toFixed(2),
    verdict(isQuick),
    `${(grown / MEGABYTE).toFixed(0)} ${verdict(isSmall)}`,
  ]
}

function verdict(isMet: boolean): string {
  if (!isMet) process.exitCode = 1
  return isMet ? 'ok' : 'MISSED'
}

function memory(): number {
  return process.memoryUsage.rss()
}
