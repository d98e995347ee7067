/*
 * Mixed load at 80 % of the maximum: expects no errors, stable memory, and responses while a large
 * table is searched. `npm run load [-- MINUTES]`
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Hash } from '@adonisjs/core/hash'
import { Scrypt } from '@adonisjs/core/hash/drivers/scrypt'
import { signIn } from '../fault_injection/helpers/client.js'
import { scratchFolder } from '../../../benchmarks/helpers/application.js'
import { products } from '../../../benchmarks/helpers/products.js'
import { ServerProcess } from '../../../benchmarks/helpers/server_process.js'
import { SqliteDatabase } from '../../../benchmarks/helpers/sqlite_database.js'
import { findings, reportOf } from './findings.js'
import { makeFilms, mixedRequests } from './requests.js'
import { runLoad } from './run_load.js'
import { keepSearching, Sampler } from './sampler.js'

const USAGE = `npm run load [-- OPTIONS] [MINUTES]

  MINUTES              how long the load lasts; default 10
  --rows=1000000       products in the table that is searched
  --database=sqlite    or better-sqlite3, which searches in the server's own thread
  --share=0.8          of the peak that was measured before`

const USER = { username: 'load', password: 'correct horse' }
/** Also warms up the server: memory is compared from its end */
const PEAK_SECONDS = 20
const CONNECTIONS = 16

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '1000000' },
    database: { type: 'string', default: 'sqlite' },
    share: { type: 'string', default: '0.8' },
    help: { type: 'boolean', default: false },
  },
})
const minutes = Number(positionals[0] ?? 10)
if (values.help || !(minutes > 0)) console.log(USAGE)
else await main()

async function main() {
  const rows = Number(values.rows)
  const folder = scratchFolder()
  let server: ServerProcess | undefined
  let idle: ServerProcess | undefined
  try {
    console.log(`${rows} products on ${values.database} ...`)
    const database = SqliteDatabase.create(join(folder.path, 'db.sqlite3'), values.database)
    const hashedPassword = await new Hash(new Scrypt({})).make(USER.password)
    await database.fill(products(rows), { username: USER.username, hashedPassword })
    await database.close()

    server = await ServerProcess.start('Atrium', 'packages/atrium/benchmarks/server.ts', {
      path: '/health/ready',
      variables: { ...database.variables, STORAGE_DIRECTORY: join(folder.path, 'storage') },
    })
    idle = await ServerProcess.start('idle', 'packages/atrium/tests/resilience/load/idle.ts', {
      path: '/',
      variables: {},
    })
    const cookie = await signIn(server.origin, USER.username, USER.password)
    await makeFilms(server.origin)
    const load = {
      name: 'mixed load',
      origin: server.origin,
      requests: mixedRequests(cookie, rows),
      connections: CONNECTIONS,
    }

    const peak = await runLoad({ ...load, seconds: PEAK_SECONDS })
    const rate = Math.floor(peak.perSecond * Number(values.share))
    console.log(
      `peak ${peak.perSecond.toFixed(0)} requests a second; ${minutes} minutes at ${rate} ...`
    )
    const sampler = new Sampler(server, idle)
    const search = keepSearching(server.origin, cookie, sampler)
    sampler.start()
    const result = await runLoad({ ...load, seconds: Math.round(minutes * 60), rate })
    const searches = await search.stop()
    const samples = await sampler.stop()

    const outcome = { peak, result, searches, samples }
    console.log(`\n${reportOf(outcome)}`)
    const broken = findings(outcome)
    for (const error of broken) console.error(`\nBROKEN: ${error}`)
    if (broken.length > 0) process.exitCode = 1
  } finally {
    await server?.stop()
    await idle?.stop()
    folder.remove()
  }
}
