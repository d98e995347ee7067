/* A SQLite file of its own, whose writes share their commits whatever the database of the run is. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { inSharedTransaction } from '#base/database/shared_transaction'
import { sqliteConnections, type SqliteDriver } from '#base/database/sqlite/sqlite_connection'

type Options = Partial<NonNullable<Parameters<typeof sqliteConnections>[2]>> & {
  waitTimeout?: number
}
type Cleanup = (callback: () => Promise<void>) => void

export const DRIVERS: readonly SqliteDriver[] = ['sqlite3', 'better-sqlite3']

/** Name of the connection */
export const GROUPED = 'grouped'

const TABLES = [
  'create table notes (id integer primary key autoincrement, text text unique)',
  'create table pages (id integer primary key, note integer references notes (id))',
]

/** Milliseconds for groups that end because no writer waits any more */
const LONG = 60_000

/**
 * Opens the file, with the tables `notes` and `pages`.
 *
 * @param options.waitTimeout  milliseconds that a write waits for others
 */
export async function openGrouped(
  driver: SqliteDriver,
  cleanup: Cleanup,
  { waitTimeout, ...options }: Options = {}
) {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-groups-'))
  const file = join(folder, 'db.sqlite3')
  const configs = sqliteConnections(GROUPED, file, {
    migrations: [],
    driver,
    groups: { writes: 50, milliseconds: LONG },
    ...options,
  })
  if (waitTimeout) configs[GROUPED].pool!.acquireTimeoutMillis = waitTimeout
  for (const [name, config] of Object.entries(configs)) db.manager.add(name, config)
  cleanup(async () => {
    for (const name of Object.keys(configs)) await db.manager.release(name)
    await rm(folder, { recursive: true })
  })
  const client = db.connection(GROUPED)
  for (const table of TABLES) await client.rawQuery(table)

  const statements: string[] = []
  client.getWriteClient().on('query', ({ sql }: { sql: string }) => statements.push(sql))
  return {
    file,
    client,
    /** How often a statement ran that begins so */
    count: (start: string) => statements.filter((sql) => sql.startsWith(start)).length,
    /** Runs a write that may share its commit */
    write: <Result>(work: (client: TransactionClientContract) => Promise<Result>) =>
      inSharedTransaction(client, work),
    /** Takes the lock of the file as another process does; returns a function that releases it */
    lock: () => lockOf(driver, file),
    /** Adds a note, which may share its commit */
    note: (text: string) => inSharedTransaction(client, (own) => addNote(own, text)),
    texts: async () => {
      const rows = await client.from('notes').select('text').orderBy('id')
      return rows.map(({ text }) => text as string)
    },
  }
}

/* Two libraries of SQLite in one process don't see each other's locks. */
async function lockOf(driver: SqliteDriver, filename: string): Promise<() => Promise<void>> {
  const name = `${GROUPED}_other`
  db.manager.add(name, { client: driver, connection: { filename }, useNullAsDefault: true })
  await db.connection(name).rawQuery('begin immediate')
  return () => db.manager.release(name)
}

export async function addNote(client: TransactionClientContract, text: string): Promise<string> {
  await client.insertQuery().table('notes').insert({ text })
  return text
}

/** A promise that is resolved from outside. */
export function signal() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, resolve }
}
