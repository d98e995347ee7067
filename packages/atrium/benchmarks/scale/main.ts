import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { openDriver, type BareDriver } from '../contenders/bare/driver.js'
import { scratchFolder, startApplication } from '../helpers/application.js'
import type { BenchDatabase } from '../helpers/bench_database.js'
import { PostgresDatabase } from '../helpers/postgres_database.js'
import { connectionOf, driversOption, integerOption, type DriverName } from '../helpers/options.js'
import { products, type ProductRow } from '../helpers/products.js'
import { SqliteDatabase } from '../helpers/sqlite_database.js'
import { median } from '../helpers/statistics.js'
import { tableOf } from '../helpers/table.js'
import { TimedClient } from '../helpers/timed_client.js'
import { casesFor, COLUMNS, RARE, type Case } from './cases.js'
import { inProcesses } from './in_processes.js'

const ALLOWED = { ratio: 1.3, growth: 64, filling: 60 }
/* Milliseconds of a request without its SQL, as measured by another benchmark */
const REQUEST = 1
const KEYSET_PAGE = 1000
const MEGABYTE = 2 ** 20

interface Size {
  rows: number
  rounds: number
}

/**
 * Measures lists over a large table against the best SQL for them, run directly on the driver in
 * the same process.
 */
export async function compareWithSql(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      drivers: { type: 'string' },
      rounds: { type: 'string' },
      rows: { type: 'string' },
      quick: { type: 'boolean', default: false },
      /* For child processes of this program: an application has one database. */
      driver: { type: 'string' },
    },
  })
  const { quick } = values
  const size = {
    rounds: integerOption('rounds', values.rounds, { least: 1, otherwise: quick ? 3 : 7 }),
    rows: integerOption('rows', values.rows, {
      least: 1000,
      otherwise: quick ? 50_000 : 1_000_000,
    }),
  }
  if (values.driver !== undefined) {
    const [driver] = driversOption(values.driver)
    return await benchDriver(driver, size)
  }
  const drivers = driversOption(values.drivers ?? (quick ? 'sqlite3' : undefined))
  inProcesses(drivers, ['scale', ...args])
}

async function benchDriver(driver: DriverName, { rows, rounds }: Size) {
  const folder = scratchFolder()
  const end: Array<() => Promise<void>> = []
  try {
    const start = performance.now()
    const database = await createDatabase(driver, folder.path)
    end.push(() => database.remove())
    await database.fill(productRows(rows))
    const seconds = (performance.now() - start) / 1000
    console.log(
      `${driver}: ${rows} rows in ${seconds.toFixed(0)} s (at most ${ALLOWED.filling}) ${verdict(seconds <= ALLOWED.filling)}\n`
    )
    await database.close()

    const running = await startApplication(database.variables)
    end.push(running.stop)
    Object.assign(process.env, { BENCH_DRIVER: driver, BENCH_DATABASE: database.location })
    const bare = await openDriver()
    const client = new TimedClient()
    const lines: string[][] = []
    for (const one of casesFor(driver, rows)) lines.push(await compare(one, client, bare, rounds))
    lines.push(await readToTheEnd(client, bare, rows))
    console.log(`${tableOf(['', 'ours ms', 'driver ms', 'ratio', '', 'MB more'], lines)}\n`)
    client.close()
  } finally {
    for (const one of end.toReversed()) await one()
    folder.remove()
  }
  process.exit()
}

async function createDatabase(driver: DriverName, folder: string): Promise<BenchDatabase> {
  if (driver === 'postgres') {
    return await PostgresDatabase.create('atrium_scale', process.env.BENCH_POSTGRES_URL!)
  }
  return SqliteDatabase.create(join(folder, 'db.sqlite3'), connectionOf(driver))
}

/** One category has RARE rows, another one half of all. */
function* productRows(count: number): Generator<ProductRow> {
  for (const row of products(count)) {
    if (row.id % Math.floor(count / RARE) === 1) row.category = 'Rare'
    else if (row.id % 2 === 0) row.category = 'Common'
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

/** Reads the whole table by `cursor`, page by page. */
async function readToTheEnd(
  client: TimedClient,
  bare: BareDriver,
  rows: number
): Promise<string[]> {
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
    const response: { data: unknown[]; next_cursor: string | null } = JSON.parse(text)
    ours += time
    seen += response.data.length
    cursor = response.next_cursor
  }
  if (seen !== rows) throw new Error(`Keyset paging shows ${seen} of ${rows} rows`)
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
