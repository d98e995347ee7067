/*
 * Another process that works on a SQLite file, simulated by a connection of its own. It has the driver of the test: the
 * drivers have separate SQLite libraries, which do not see each other's locks in one process.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import db from '@adonisjs/lucid/services/db'
import BetterSqlite3 from 'better-sqlite3'
import type sqlite3 from 'sqlite3'
import { sqliteConnections, type SqliteDriver } from '#base/database/sqlite/sqlite_connection'

/* A clone without a compiler has no binary of `sqlite3`; CI requires both. */
const SQLITE3 = loadSqlite3()

/** The installed drivers */
export const SQLITE_DRIVERS: SqliteDriver[] = SQLITE3
  ? ['sqlite3', 'better-sqlite3']
  : ['better-sqlite3']

function loadSqlite3(): typeof sqlite3 | null {
  try {
    return createRequire(import.meta.url)('sqlite3')
  } catch (error) {
    if (process.env.CI) throw error
    return null
  }
}

interface OtherProcess {
  /** Returns the code of the error, if there is one */
  run(sql: string): Promise<string | undefined>
  close(): Promise<void>
}

export function otherProcess(driver: SqliteDriver, filename: string): OtherProcess {
  return driver === 'sqlite3' ? ofSqlite3(filename) : ofBetter(filename)
}

/**
 * Configures a Lucid connection to a new file, which another process can lock.
 *
 * @param timeout  milliseconds that a write waits for the lock
 */
export async function lockableFile(
  driver: SqliteDriver,
  cleanup: (callback: () => Promise<void>) => void,
  { timeout }: { timeout?: number } = {}
): Promise<{ connection: string; other: OtherProcess }> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-lock-'))
  const file = join(folder, 'db.sqlite3')
  const connection = 'lockable'
  db.manager.add(connection, sqliteConnections(connection, file, { driver, timeout }).lockable)
  const other = otherProcess(driver, file)
  cleanup(async () => {
    await other.close()
    await db.manager.release(connection)
    await rm(folder, { recursive: true })
  })
  return { connection, other }
}

function ofSqlite3(filename: string): OtherProcess {
  const connection = new SQLITE3!.Database(filename)
  return {
    run: (sql) =>
      new Promise((resolve) => {
        connection.exec(sql, (error: (Error & { code?: string }) | null) => resolve(error?.code))
      }),
    close: () => new Promise((resolve) => connection.close(() => resolve())),
  }
}

function ofBetter(filename: string): OtherProcess {
  const connection = new BetterSqlite3(filename, { timeout: 0 })
  return {
    run: async (sql) => {
      try {
        connection.exec(sql)
      } catch (error) {
        return (error as { code?: string }).code
      }
    },
    close: async () => void connection.close(),
  }
}
