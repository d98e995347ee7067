import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract, SqliteConfig } from '@adonisjs/lucid/types/database'
import { beginBetterWithLock, beginWithLock, checkGround } from '#upstream/knex_sqlite_begin'
import {
  keepBetterStatements,
  letRequestsIn,
  type Connection as PreparingConnection,
} from './better_sqlite_statements.js'
import { CommitGroups, type GroupBounds } from './commit_groups.js'
import { keepStatements, type Connection } from './sqlite_statements.js'
import { chmodSync, statSync } from 'node:fs'

/**
 * The npm packages that open a file: `sqlite3` works outside the server's thread, `better-sqlite3` is
 * quicker but blocks it.
 */
export type SqliteDriver = 'sqlite3' | 'better-sqlite3'

type Done = (error: Error | null, connection: unknown) => void

/** Connection of the driver `sqlite3` */
interface RawConnection extends Connection {
  exec(sql: string, callback: (error: Error | null) => void): void
}

/** Connection of the driver `better-sqlite3` */
interface BetterConnection extends PreparingConnection {
  readonly inTransaction: boolean
  exec(sql: string): void
}

/**
 * Durability of a commit: with `full`, a power cut loses no acknowledged write; with `normal`, it can lose those of the
 * last moments. The file stays readable with both.
 */
export type Synchronous = 'full' | 'normal'

const READERS = '_readers'

/** Milliseconds to wait for a connection, which is as long as other writes take */
const PATIENCE = 15_000

type Grouped = SqliteConfig & { groups?: GroupBounds }

const GROUPS = new WeakMap<object, CommitGroups | null>()

/**
 * The two Lucid connections to one SQLite file: one writer and several readers. Lucid transactions that
 * read and then write fail immediately with "database is locked" when several connections try it; with a
 * single writer they wait for their turn, and reads do not wait for them. (Lucid's own read replicas do
 * not work for SQLite.)
 *
 * @param name      the connection's name; the readers' name is derived from it
 * @param filename  absolute path of the file
 * @param options   the folders of its migrations, the maximum number of read connections, the driver,
 *   the milliseconds to wait for the lock of another process, whether other users of the machine keep
 *   their rights on the files, what a power cut may take, and the bounds of the writes that share one
 *   commit
 * @returns both connections by their names, for `connections` of config/database.ts
 */
export function sqliteConnections<Name extends string>(
  name: Name,
  filename: string,
  {
    migrations,
    readers = 4,
    driver = 'sqlite3',
    timeout = 5000,
    shared = false,
    synchronous = 'full',
    groups = { writes: 50, milliseconds: 20 },
  }: {
    migrations?: string[]
    readers?: number
    driver?: SqliteDriver
    timeout?: number
    shared?: boolean
    synchronous?: Synchronous
    groups?: GroupBounds
  } = {}
): Record<Name | `${Name}_readers`, SqliteConfig> {
  checkGround()
  const common = {
    client: driver,
    connection: { filename },
    useNullAsDefault: true,
    schemaGeneration: { enabled: false },
    /* Errors are logged; the values of a statement, password hashes among them, must not be. */
    compileSqlOnError: false,
  } as const
  const writer = `${WRITER} PRAGMA synchronous = ${PRAGMAS[synchronous]};`
  const protect = shared ? () => {} : () => makePrivate(filename)

  return {
    [name]: {
      ...common,
      pool: {
        min: 1,
        max: 1,
        acquireTimeoutMillis: PATIENCE,
        afterCreate: prepare(driver, writer, timeout, protect),
      },
      migrations: { naturalSort: true, ...(migrations && { paths: migrations }) },
      groups,
    },
    [name + READERS]: {
      ...common,
      pool: {
        min: 0,
        max: readers,
        acquireTimeoutMillis: PATIENCE,
        afterCreate: prepare(driver, READER, timeout, protect),
      },
    },
  } as unknown as Record<Name | `${Name}_readers`, SqliteConfig>
}

/** The read connection of a writer, or undefined if its configuration has none. */
export function readersOf(client: QueryClientContract): QueryClientContract | undefined {
  const name = client.connectionName + READERS
  return db.manager.has(name) ? db.connection(name) : undefined
}

/**
 * The groups in which the writes of a connection share their commits.
 *
 * @returns undefined for a transaction, a connection of another configuration, and without groups
 */
export function commitGroupsOf(client: QueryClientContract): CommitGroups | undefined {
  if (client.isTransaction) return undefined
  const writer = client.getWriteClient()
  let groups = GROUPS.get(writer)
  if (groups === undefined) {
    const config = db.manager.get(client.connectionName)?.config as Grouped | undefined
    const { milliseconds = 0, writes = 0 } = config?.groups ?? {}
    const patience = config?.pool?.acquireTimeoutMillis ?? PATIENCE
    const isOn = milliseconds > 0 && writes > 1
    const blocks = config?.client === 'better-sqlite3'
    groups = isOn ? new CommitGroups({ milliseconds, writes }, patience, blocks) : null
    GROUPS.set(writer, groups)
  }
  return groups ?? undefined
}

/** In write-ahead logging readers and the writer do not block each other; foreign keys are enforced. */
const WRITER = 'PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;'
const READER = 'PRAGMA query_only = ON;'
const PRAGMAS: Record<Synchronous, string> = { full: 'FULL', normal: 'NORMAL' }

/**
 * Page cache of a connection, in kilobytes. A table of 10,000 rows does not fit into SQLite's default of
 * two thousand, and a list that counts them would read most of it from the file each time.
 */
const CACHE = 16_384

/** @param protect  called before the first statement, which creates the files next to the database's */
function prepare(driver: SqliteDriver, role: string, timeout: number, protect: () => void) {
  const pragmas = `PRAGMA busy_timeout = ${timeout}; PRAGMA cache_size = -${CACHE}; ${role}`
  if (driver === 'better-sqlite3') {
    return (connection: BetterConnection, done: Done) => {
      protect()
      if (role !== READER) {
        beginBetterWithLock(connection, timeout)
        letRequestsIn(connection)
      }
      keepBetterStatements(connection)
      connection.exec(pragmas)
      if (role !== READER) connection.exec('PRAGMA busy_timeout = 0;')
      done(null, connection)
    }
  }
  return (connection: RawConnection, done: Done) => {
    protect()
    keepStatements(connection)
    if (role !== READER) beginWithLock(connection)
    connection.exec(pragmas, (error) => done(error, connection))
  }
}

/* Suffixes of the files that SQLite creates next to a database */
const PARTS = ['', '-wal', '-shm', '-journal']

/**
 * Removes the rights of other users of the machine on the files of an SQLite database, as far as this
 * process owns them. Files that SQLite creates later inherit the rights of the database's file.
 */
function makePrivate(filename: string): void {
  for (const part of PARTS) {
    const path = filename + part
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isFile() && stats.uid === process.getuid?.() && (stats.mode & 0o077) !== 0) {
      chmodSync(path, 0o600)
    }
  }
}
