import { setTimeout as sleep } from 'node:timers/promises'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract, SqliteConfig } from '@adonisjs/lucid/types/database'
import {
  keepBetterStatements,
  type BetterStatement,
  type Connection as PreparingConnection,
} from './better_sqlite_statements.js'
import { makePrivate } from './private_files.js'
import { keepStatements, type Connection } from './sqlite_statements.js'

/**
 * The npm packages that open a file: `sqlite3` works beside the server's thread, `better-sqlite3` is
 * quicker, and holds everybody up meanwhile.
 */
export type SqliteDriver = 'sqlite3' | 'better-sqlite3'

type Done = (error: Error | null, connection: unknown) => void

/** Of the driver `sqlite3` */
interface RawConnection extends Connection {
  exec(sql: string, callback: (error: Error | null) => void): void
}

/** Of the driver `better-sqlite3` */
interface BetterConnection extends PreparingConnection {
  readonly inTransaction: boolean
  exec(sql: string): void
}

const READERS = '_readers'

/**
 * The two Lucid connections to one SQLite file: one writer, and several readers beside it. Lucid
 * transactions that read and then write fail at once with "database is locked" when several
 * connections try it; with a single writer they wait for their turn, and reads need not wait for
 * them. (Lucid's own read replicas are not for SQLite: it would never use them.)
 *
 * @param name      the connection's name; the readers' is derived from it
 * @param filename  absolute path of the file
 * @param options   the folders of its migrations, how many read connections to open at the most, the
 *   driver, how many milliseconds to wait for the lock of another process, and whether other users of the
 *   machine keep the rights that they have on the files
 */
export function sqliteConnections<Name extends string>(
  name: Name,
  filename: string,
  {
    migrations,
    readers = 4,
    driver = 'sqlite3',
    patience = 5000,
    shared = false,
  }: {
    migrations: string[]
    readers?: number
    driver?: SqliteDriver
    patience?: number
    shared?: boolean
  }
): Record<Name | `${Name}_readers`, SqliteConfig> {
  const common = {
    client: driver,
    connection: { filename },
    useNullAsDefault: true,
    schemaGeneration: { enabled: false },
    /* Errors get into the log; the values of a statement, passwords' hashes among them, must not. */
    compileSqlOnError: false,
  } as const
  const protect = shared ? () => {} : () => makePrivate(filename)

  return {
    [name]: {
      ...common,
      pool: {
        min: 1,
        max: 1,
        acquireTimeoutMillis: 15_000,
        afterCreate: prepare(driver, WRITER, patience, protect),
      },
      migrations: { naturalSort: true, paths: migrations },
    },
    [name + READERS]: {
      ...common,
      pool: {
        min: 0,
        max: readers,
        acquireTimeoutMillis: 15_000,
        afterCreate: prepare(driver, READER, patience, protect),
      },
    },
  } as unknown as Record<Name | `${Name}_readers`, SqliteConfig>
}

/**
 * The readers beside a writer, or undefined if its configuration has none.
 */
export function readersOf(client: QueryClientContract): QueryClientContract | undefined {
  const name = client.connectionName + READERS
  return db.manager.has(name) ? db.connection(name) : undefined
}

/**
 * A connection of the readers that nobody has at the moment, for who needs it no longer than one call of
 * the driver that does not return before it is done. To have the pool hand it out and take it back would
 * take as long as the read.
 */
export function idleReaderOf({ connectionName }: QueryClientContract): unknown {
  const readers = db.manager.get(connectionName + READERS)?.connection
  const pool: { free?: Array<{ resource: unknown }> } | undefined = readers?.readClient?.client.pool
  return pool?.free?.at(-1)?.resource
}

/**
 * Readers and the writer don't block each other in write-ahead logging; foreign keys hold.
 */
const WRITER = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;'
const READER = 'PRAGMA query_only = ON;'

/**
 * Kilobytes that a connection keeps of the file at the most. Of SQLite's own two thousand a table of 10,000
 * rows has no room, and a list that counts them reads most of it from the file each time.
 */
const CACHE = 16_384

/**
 * @param protect  called before the first statement, which is what makes the files beside the database's
 */
function prepare(driver: SqliteDriver, role: string, patience: number, protect: () => void) {
  const pragmas = `PRAGMA busy_timeout = ${patience}; PRAGMA cache_size = -${CACHE}; ${role}`
  if (driver === 'better-sqlite3') {
    return (connection: BetterConnection, done: Done) => {
      protect()
      if (role === WRITER) guardBetterTransactions(connection, patience)
      keepBetterStatements(connection)
      connection.exec(pragmas)
      done(null, connection)
    }
  }
  return (connection: RawConnection, done: Done) => {
    protect()
    keepStatements(connection)
    if (role === WRITER) guardTransactions(connection)
    connection.exec(pragmas, (error) => done(error, connection))
  }
}

/**
 * Knex begins transactions that only become writing ones when they first write; if another process
 * wrote since their first read, that fails at once, however patient the connection. So they are
 * writing ones from the start, and wait for their turn then. And knex gives a connection back even if
 * its COMMIT failed: the open transaction would make every later one on it fail, so it is rolled back.
 */
function guardTransactions(connection: RawConnection) {
  const all = connection.all.bind(connection)
  connection.all = (sql, bindings, callback) => {
    if (sql === 'BEGIN;') return all('BEGIN IMMEDIATE;', bindings, callback)
    if (sql !== 'COMMIT;') return all(sql, bindings, callback)
    return all(sql, bindings, (error, ...results) => {
      if (!error) return callback(null, ...results)
      connection.exec('ROLLBACK;', () => callback(error))
    })
  }
}

/** The same, for the other driver. */
function guardBetterTransactions(connection: BetterConnection, patience: number) {
  const prepareStatement = connection.prepare.bind(connection)
  connection.prepare = (sql) => {
    if (sql === 'BEGIN;') return patientBegin(connection, patience) as unknown as BetterStatement
    const statement = prepareStatement(sql)
    if (sql !== 'COMMIT;') return statement
    const run = statement.run.bind(statement)
    statement.run = (...bindings) => {
      try {
        return run(...bindings)
      } catch (error) {
        /* SQLite itself has done so where the disk is full. */
        if (connection.inTransaction) connection.exec('ROLLBACK;')
        throw error
      }
    }
    return statement
  }
}

/**
 * Waiting inside of this driver would hold up the whole server, so it is not to wait at all, and is asked
 * again and again.
 */
function patientBegin(connection: BetterConnection, patience: number) {
  const begin = connection.prepare('BEGIN IMMEDIATE;')
  return {
    reader: false,
    async run() {
      const end = performance.now() + patience
      for (;;) {
        connection.exec('PRAGMA busy_timeout = 0;')
        try {
          return begin.run()
        } catch (error) {
          const isBusy = (error as { code?: string }).code?.startsWith('SQLITE_BUSY')
          if (!isBusy || performance.now() > end) throw error
        } finally {
          connection.exec(`PRAGMA busy_timeout = ${patience};`)
        }
        await sleep(BEGIN_INTERVAL)
      }
    },
  }
}

/** Milliseconds between two tries */
const BEGIN_INTERVAL = 20
