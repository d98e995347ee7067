import { join } from 'node:path'
import type { BenchDatabase } from '../helpers/bench_database.js'
import { PostgresDatabase } from '../helpers/postgres_database.js'
import { products } from '../helpers/products.js'
import { ServerProcess } from '../helpers/server_process.js'
import { benchUser, signIn } from '../helpers/sign_in.js'
import { SqliteDatabase } from '../helpers/sqlite_database.js'
import type { Contender } from './contender.js'
import { PRODUCTS } from './operations.js'
import { connectionOf, type DriverName } from '../helpers/options.js'

/** A running contender with its own database. */
export interface Entrant {
  contender: Contender
  server: ServerProcess
  database: BenchDatabase
  /** Cookies of a signed-in browser; undefined if the contender has no login */
  cookie: string | undefined
}

/** Starts the contenders, each on a copy of the same database. */
export async function startEntrants(
  driver: DriverName,
  contenders: readonly Contender[],
  folder: string
): Promise<Entrant[]> {
  const template = await createDatabase(driver, folder)
  await template.fill(products(PRODUCTS), await benchUser())

  const entrants: Entrant[] = []
  try {
    for (const contender of contenders) {
      const database = await template.copy(`${driver}_${contender.name.replace(/\W+/g, '_')}`)
      const server = await ServerProcess.start(contender.name, contender.script, {
        path: '/api/products/1',
        variables: {
          ...database.variables,
          STORAGE_DIRECTORY: join(folder, 'storage'),
          BENCH_DRIVER: driver,
          BENCH_DATABASE: database.location,
        },
      })
      const entrant: Entrant = { contender, server, database, cookie: undefined }
      entrants.push(entrant)
      if (contender.operations.includes('admin list page')) entrant.cookie = await signIn(server)
    }
    await Promise.all(entrants.map(({ server }) => server.untilIdle()))
    return entrants
  } catch (error) {
    await stopEntrants(entrants)
    throw error
  } finally {
    await template.remove()
  }
}

export async function stopEntrants(entrants: readonly Entrant[]): Promise<void> {
  for (const { server, database } of entrants) {
    await server.stop()
    await database.remove()
  }
}

async function createDatabase(driver: DriverName, folder: string): Promise<BenchDatabase> {
  if (driver === 'postgres') {
    return await PostgresDatabase.create(
      `atrium_bench_${process.pid}`,
      process.env.BENCH_POSTGRES_URL!
    )
  }
  return SqliteDatabase.create(join(folder, `${driver}.sqlite3`), connectionOf(driver))
}
