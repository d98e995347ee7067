import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type { BenchDatabase } from './helpers/bench_database.js'
import { scratchFolder, startApplication } from './helpers/application.js'
import { connectionOf, driversOption, integerOption, type DriverName } from './helpers/options.js'
import { PostgresDatabase } from './helpers/postgres_database.js'
import { SqliteDatabase } from './helpers/sqlite_database.js'
import { median } from './helpers/statistics.js'
import { tableOf } from './helpers/table.js'
import { TimedClient } from './helpers/timed_client.js'
import { inProcesses } from './scale/in_processes.js'

/* Milliseconds of a request of the API, and of the event loop while a page of the site is read */
const MOST = { api: 100, blocked: 1000 }
const WALKED = 1000
const CATEGORIES = 1000

interface Size {
  rows: number
  rounds: number
}

type Measure = (name: string, path: string, isSite?: boolean) => Promise<string>

/**
 * Measures lists over 10,000,000 rows: the server's time from the arrival of a request to its response, and how long
 * the event loop is blocked in the meantime.
 */
export async function measureLarge(args: string[]): Promise<void> {
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
    rounds: integerOption('rounds', values.rounds, { least: 1, otherwise: quick ? 3 : 5 }),
    rows: integerOption('rows', values.rows, {
      least: 10 * CATEGORIES,
      otherwise: quick ? 500_000 : 10_000_000,
    }),
  }
  if (values.driver === undefined) {
    return inProcesses(driversOption(values.drivers), ['large', ...args])
  }
  const [driver] = driversOption(values.driver)
  const folder = scratchFolder()
  const database = await createDatabase(driver, folder.path)
  try {
    await measureDriver(driver, database, size)
  } finally {
    await database.remove()
    folder.remove()
  }
  process.exit()
}

async function measureDriver(driver: DriverName, database: BenchDatabase, size: Size) {
  const { rows, rounds } = size
  const start = performance.now()
  for (const sql of filling(driver, rows)) await database.run(sql)
  const seconds = (performance.now() - start) / 1000
  console.log(`${driver}: ${rows} rows in ${seconds.toFixed(0)} s\n`)
  await database.close()

  const running = await startApplication(database.variables)
  const client = new TimedClient()
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const lines: string[][] = []
  const cookie = await cookieOfSuperuser()
  const measure: Measure = async (name, path, isSite = false) => {
    const browser = { cookie, accept: 'text/html' }
    const get = async () => await client.get(path, isSite ? browser : {})
    const first = await get()
    delay.reset()
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const { time } = await get()
      times.push(time)
    }
    const [middle, blocked] = [median(times), delay.max / 1e6]
    const isMet = isSite ? blocked <= MOST.blocked : middle <= MOST.api
    if (!isMet) process.exitCode = 1
    const figures = [first.time, middle, blocked].map((one) => one.toFixed(1))
    lines.push([name, ...figures, isMet ? 'ok' : 'MISSED'])
    return first.text
  }
  try {
    await measureApi(measure, client, size)
    await measureSite(measure, size)
    console.log(`${tableOf(['ms', 'first', 'median', 'blocked', ''], lines)}\n`)
  } finally {
    client.close()
    await running.stop()
  }
}

async function measureApi(measure: Measure, client: TimedClient, { rows }: Size) {
  const list = '/api/products?itemsPerPage=10&count=estimate'
  const first = await measure('first page', `${list}&page=1`)
  await measure('last page', `${list}&page=${Math.ceil(JSON.parse(first).total_count / 10)}`)
  await measure('filter: 1 of 1,000 values', `${list}&page=1&category=Category%207`)
  await measure('filter that matches half', `${list}&page=1&price__gte=5000`)
  await measure('newest first', `${list}&page=1&sort=-created_at`)
  const recent = 'created_at__gte=2026-01-01&sort=created_at'
  await measure('range that matches half, its order', `${list}&page=1&${recent}`)
  const cursor = await cursorInTheMiddle(client, rows)
  await measure('cursor in the middle', `/api/products?limit=10&cursor=${cursor}`)
  await measure('1,000 rows from there', `/api/products?limit=1000&cursor=${cursor}`)
  await measure('first page, no count', '/api/products?page=1&itemsPerPage=10&count=false')
}

async function measureSite(measure: Measure, { rows }: Size) {
  const list = '/admin/Product/?rows-per-page-select=10'
  await measure('site: first page', list, true)
  await measure('site: last page', `${list}&page=${rows / 10}`, true)
  await measure('site: filter', `${list}&filter.category=Category%207`, true)
  await measure('site: search', `${list}&column-to-search=name&search-input=77`, true)
}

/** Reads half of the table by `cursor`. */
async function cursorInTheMiddle(client: TimedClient, rows: number): Promise<string> {
  let cursor = ''
  for (let read = 0; read < rows / 2; read += WALKED) {
    const { text } = await client.get(`/api/products?fields=id&limit=${WALKED}&cursor=${cursor}`)
    cursor = encodeURIComponent(JSON.parse(text).next_cursor)
  }
  return cursor
}

async function cookieOfSuperuser(): Promise<string> {
  const { default: app } = await import('@adonisjs/core/services/app')
  const { AdminSite, AdminUser } = await import('#admin')
  const site = await app.container.make(AdminSite)
  const user = await AdminUser.create({ username: 'jo', hashedPassword: 'none', isSuperuser: true })
  return await site.adminAuthentication.cookieHeader(user)
}

async function createDatabase(driver: DriverName, folder: string): Promise<BenchDatabase> {
  if (driver === 'postgres') {
    return await PostgresDatabase.create('atrium_large', process.env.BENCH_POSTGRES_URL!)
  }
  return SqliteDatabase.create(join(folder, 'db.sqlite3'), connectionOf(driver))
}

/** Statements that fill the table, with the indexes that its filters and orders need. */
function filling(driver: DriverName, rows: number): string[] {
  const isPostgres = driver === 'postgres'
  const numbers = isPostgres
    ? `generate_series(1::bigint, ${rows}) as n(n)`
    : `(with recursive n(n) as (select 1 union all select n + 1 from n where n < ${rows}) select n from n) as n`
  /* 10,000,000 moments of 2024 to 2027, half of them before 2026 */
  const moment = `(n.n * ${Math.floor((4 * 365 * 86_400 * 1000) / rows)} / 1000)`
  const created = isPostgres
    ? `timestamp '2024-01-01' + ${moment} * interval '1 second'`
    : `datetime('2024-01-01', '+' || ${moment} || ' seconds')`
  return [
    `insert into products (id, name, description, category, price, sku, is_deleted, created_at)
     select n.n, 'Lamp ' || n.n, 'Warm light', 'Category ' || (n.n * 7919 % ${CATEGORIES}), n.n % 10000, 'LAMP-' || n.n, false, ${created}
     from ${numbers}`,
    'create index products_created_at on products (created_at, id)',
    'create index products_name on products (name, id)',
    'create index products_category on products (category, id)',
    isPostgres ? 'vacuum analyze products' : 'analyze',
  ]
}
