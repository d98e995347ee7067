import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract, SqliteConfig } from '@adonisjs/lucid/types/database'

type Done = (error: Error | null, connection: unknown) => void

type Callback = (error: Error | null, ...results: unknown[]) => void

interface RawConnection {
  exec(sql: string, callback: (error: Error | null) => void): void
  all(sql: string, bindings: unknown, callback: Callback): void
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
 * @param options   the folders of its migrations, and how many read connections to open at the most
 */
export function sqliteConnections<Name extends string>(
  name: Name,
  filename: string,
  { migrations, readers = 4 }: { migrations: string[]; readers?: number }
): Record<Name | `${Name}_readers`, SqliteConfig> {
  const common = {
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    schemaGeneration: { enabled: false },
    /* Errors get into the log; the values of a statement, passwords' hashes among them, must not. */
    compileSqlOnError: false,
  } as const

  return {
    [name]: {
      ...common,
      pool: { min: 1, max: 1, acquireTimeoutMillis: 15_000, afterCreate: prepare(WRITER) },
      migrations: { naturalSort: true, paths: migrations },
    },
    [name + READERS]: {
      ...common,
      pool: { min: 0, max: readers, acquireTimeoutMillis: 15_000, afterCreate: prepare(READER) },
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
 * Readers and the writer don't block each other in write-ahead logging; another process gets five
 * seconds of patience; foreign keys hold.
 */
const WRITER =
  'PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;'
const READER = 'PRAGMA busy_timeout = 5000; PRAGMA query_only = ON;'

function prepare(pragmas: string) {
  return (connection: RawConnection, done: Done) => {
    if (pragmas === WRITER) guardTransactions(connection)
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
