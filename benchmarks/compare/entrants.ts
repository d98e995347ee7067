import { Hash } from '@adonisjs/core/hash'
import { Scrypt } from '@adonisjs/core/hash/drivers/scrypt'
import { join } from 'node:path'
import type { BenchDatabase } from '../helpers/bench_database.js'
import { PostgresDatabase } from '../helpers/postgres_database.js'
import { products } from '../helpers/products.js'
import { ServerProcess } from '../helpers/server_process.js'
import { SqliteDatabase } from '../helpers/sqlite_database.js'
import type { Contender } from './contender.js'
import { PRODUCTS } from './operations.js'
import { connectionOf, type DriverName } from '../helpers/options.js'

const USER = { username: 'bench', password: 'a password of the benchmark' }

/**
 * A running contender with its own database.
 */
export interface Entrant {
  contender: Contender
  server: ServerProcess
  database: BenchDatabase
  /** Cookies of a signed-in browser; undefined if the contender has no login */
  cookie: string | undefined
}

/**
 * Starts the contenders, each on a copy of the same database.
 */
export async function startEntrants(
  driver: DriverName,
  contenders: readonly Contender[],
  folder: string
): Promise<Entrant[]> {
  const template = await createDatabase(driver, folder)
  const hashedPassword = await new Hash(new Scrypt({})).make(USER.password)
  await template.fill(products(PRODUCTS), { username: USER.username, hashedPassword })

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
    return await PostgresDatabase.create('atrium_bench', process.env.BENCH_POSTGRES_URL!)
  }
  return SqliteDatabase.create(join(folder, `${driver}.sqlite3`), connectionOf(driver))
}

async function signIn({ name, origin }: ServerProcess): Promise<string> {
  const response = await fetch(`${origin}/admin/login`, {
    method: 'POST',
    body: new URLSearchParams(USER),
    redirect: 'manual',
  })
  if (response.status >= 400 || response.headers.getSetCookie().length === 0) {
    throw new Error(`Nobody can sign in to "${name}": it answers ${response.status}`)
  }
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}
