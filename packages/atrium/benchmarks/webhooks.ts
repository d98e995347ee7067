import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { BenchDatabase } from './helpers/bench_database.js'
import { scratchFolder, startApplication } from './helpers/application.js'
import { byTurns, timed } from './helpers/by_turns.js'
import { connectionOf, driversOption, integerOption, type DriverName } from './helpers/options.js'
import { PostgresDatabase } from './helpers/postgres_database.js'
import { SqliteDatabase } from './helpers/sqlite_database.js'
import { median } from './helpers/statistics.js'
import { inProcesses } from './scale/in_processes.js'

const TARGETS = { ratio: 1.1, minute: 10_000 }
const WRITES_A_ROUND = 20

/**
 * Measures what an active webhook costs a write, and how many messages a minute are delivered to a receiver in another
 * process.
 */
export async function measureWebhooks(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      drivers: { type: 'string' },
      rounds: { type: 'string' },
      rows: { type: 'string' },
      quick: { type: 'boolean', default: false },
      /* For child processes of this program: an application has one database. */
      driver: { type: 'string' },
      receive: { type: 'boolean', default: false },
    },
  })
  if (values.receive) return receive()
  if (values.driver === undefined) {
    return inProcesses(driversOption(values.drivers), ['webhooks', ...args])
  }
  const { quick } = values
  const rounds = integerOption('rounds', values.rounds, { least: 1, otherwise: quick ? 20 : 100 })
  const rows = integerOption('rows', values.rows, { least: 100, otherwise: quick ? 500 : 4000 })
  const [driver] = driversOption(values.driver)
  const folder = scratchFolder()
  const database = await createDatabase(driver, folder.path)
  try {
    await database.close()
    const running = await startApplication(database.variables)
    await measure(driver, rounds, rows)
    await running.stop()
  } finally {
    await database.remove()
    folder.remove()
  }
  process.exit()
}

async function measure(driver: DriverName, rounds: number, rows: number) {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const receiver = fork(main, ['webhooks', '--receive'], { execArgv: process.execArgv })
  const [address] = (await once(receiver, 'message')) as [string]
  const { default: app } = await import('@adonisjs/core/services/app')
  const { AdminSite, AdminUser } = await import('#admin')
  const { makeWebhook } = await import('#tests/helpers/webhook_receiver')
  const site = await app.container.make(AdminSite)
  const { webhooks } = site
  await webhooks.stop()
  const user = await AdminUser.create({ username: 'jo', hashedPassword: 'none', isSuperuser: true })
  const { id } = await makeWebhook({ address, ownerId: user.id })
  const { crud } = site.models.get('Product')!
  let written = 0
  const write = async (count: number) => {
    for (let index = 0; index < count; index++) {
      const name = `Lamp ${++written}`
      await crud.create({ name, description: 'Warm light', category: 'Lighting', price: 39.9 })
    }
  }
  const setActive = async (active: boolean) => {
    await webhooks.store.client().from('admin_webhooks').where({ id }).update({ active })
    webhooks.list.forget()
    await write(1)
  }
  const round = (active: boolean) => async () => {
    await setActive(active)
    return await timed(() => write(WRITES_A_ROUND))
  }
  const times = await byTurns(rounds, { without: round(false), active: round(true) })
  const ratio = median(times.active) / median(times.without)
  report(`${driver}: a write ${ratio.toFixed(2)} times one without webhooks`, TARGETS.ratio, ratio)

  await webhooks.store.client().from('admin_webhook_deliveries').delete()
  await setActive(true)
  await write(rows)
  const sender = await webhooks.sender()
  const start = performance.now()
  const cpu = process.cpuUsage()
  await sender.sendDue()
  const { user: own, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - start) / 1000
  const { delivered = 0 } = await webhooks.store.counts()
  const minute = (delivered / seconds) * 60
  const each = ((own + system) / 1000 / delivered).toFixed(2)
  const words = `${minute.toFixed(0)} messages a minute, ${each} ms of the processor each`
  report(`${driver}: ${words}`, -TARGETS.minute, -minute)
  receiver.disconnect()
}

/** @param most  target; negative for a least number */
function report(text: string, most: number, value: number) {
  const isMet = value <= most
  if (!isMet) process.exitCode = 1
  const bound = most < 0 ? `at least ${-most}` : `at most ${most}`
  console.log(`${text} (${bound}) ${isMet ? 'ok' : 'MISSED'}`)
}

/** Responds to all messages, until the benchmark ends. */
async function receive() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end())
  })
  server.listen(0, '127.0.0.1', () => {
    process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)
  })
  process.on('disconnect', () => process.exit())
  await once(server, 'close')
}

async function createDatabase(driver: DriverName, folder: string): Promise<BenchDatabase> {
  if (driver === 'postgres') {
    return await PostgresDatabase.create('atrium_webhooks', process.env.BENCH_POSTGRES_URL!)
  }
  return SqliteDatabase.create(join(folder, 'db.sqlite3'), connectionOf(driver))
}
