import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract, SqliteConfig } from '@adonisjs/lucid/types/database'
import { beginBetterWithLock, beginWithLock, checkLibrary } from '#upstream/knex_sqlite_begin'
import {
  keepBetterStatements,
  letRequestsIn,
  type Connection as PreparingConnection,
} from './better_sqlite_statements.js'
import { CommitGroups, type GroupBounds } from './commit_groups.js'
import { keepStatements, type Connection } from './sqlite_statements.js'
import { chmodSync, statSync } from 'node:fs'

/**
 * The npm packages that open a file: `sqlite3` works outside the server's thread, `better-sqlite3` is faster but blocks
 * it.
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
 * Durability of a commit: with `full`, a power failure loses no acknowledged write; with `normal`, it can lose the most
 * recent ones. The file remains readable in both cases.
 */
type Synchronous = 'full' | 'normal'

const READERS = '_readers'

/** Milliseconds to wait for a connection, which other writes can use for a long time */
const TIMEOUT = 15_000

type Grouped = SqliteConfig & { groups?: GroupBounds }

const GROUPS = new WeakMap<object, CommitGroups | null>()

/**
 * Returns the two Lucid connections to one SQLite file: one writer and several readers. Lucid transactions that read
 * and then write fail immediately with "database is locked" if several connections try it; with a single writer they
 * wait for their turn, and reads do not wait for them. (Lucid's read replicas do not work for SQLite.)
 *
 * @param name      name of the connection; the name of the readers is derived from it
 * @param filename  absolute path of the file
 * @param options   folders of the migrations, maximum number of read connections, driver, milliseconds to wait for the
 *   lock of another process, whether other users of the machine retain their access to the files, durability at a power
 *   failure, and the limits of writes that share a commit
 * @returns both connections by name, for `connections` of config/database.ts
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
  checkLibrary()
  const common = {
    client: driver,
    connection: { filename },
    useNullAsDefault: true,
    schemaGeneration: { enabled: false },
    /* Errors are logged, but the values of a statement, such as password hashes, must not be. */
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
        acquireTimeoutMillis: TIMEOUT,
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
        acquireTimeoutMillis: TIMEOUT,
        afterCreate: prepare(driver, READER, timeout, protect),
      },
    },
  } as unknown as Record<Name | `${Name}_readers`, SqliteConfig>
}

/** Returns the read connection of a writer, or undefined if it is not configured. */
export function readersOf(client: QueryClientContract): QueryClientContract | undefined {
  const name = client.connectionName + READERS
  return db.manager.has(name) ? db.connection(name) : undefined
}

/**
 * Returns a read connection of the driver `better-sqlite3` that no other code uses at the moment. It remains in the
 * pool, because a statement of this driver has ended before any other code can take it from there.
 *
 * @returns undefined for a transaction, and if no such connection exists
 */
export function idleReader(client: QueryClientContract): PreparingConnection | undefined {
  if (client.isTransaction) return undefined
  const readers = db.manager.get(client.connectionName + READERS)
  const { destroyed, free } = readers?.connection?.client?.client.pool ?? {}
  return destroyed ? undefined : free?.at(-1)?.resource
}

/**
 * Returns the groups in which writes of a connection share their commits.
 *
 * @returns undefined for a transaction, a connection that `sqliteConnections` did not create, or if groups are turned
 *   off
 */
export function commitGroupsOf(client: QueryClientContract): CommitGroups | undefined {
  if (client.isTransaction) return undefined
  const writer = client.getWriteClient()
  let groups = GROUPS.get(writer)
  if (groups === undefined) {
    const config = db.manager.get(client.connectionName)?.config as Grouped | undefined
    const { milliseconds = 0, writes = 0 } = config?.groups ?? {}
    const waitTimeout = config?.pool?.acquireTimeoutMillis ?? TIMEOUT
    const isOn = milliseconds > 0 && writes > 1
    const blocks = config?.client === 'better-sqlite3'
    groups = isOn ? new CommitGroups({ milliseconds, writes }, waitTimeout, blocks) : null
    GROUPS.set(writer, groups)
  }
  return groups ?? undefined
}

/** With write-ahead logging, readers and the writer do not block each other. Foreign keys are enforced. */
const WRITER = 'PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;'
const READER = 'PRAGMA query_only = ON;'
const PRAGMAS: Record<Synchronous, string> = { full: 'FULL', normal: 'NORMAL' }

/**
 * Page cache of a connection, in kilobytes. A table of 10,000 rows exceeds SQLite's default of 2,000 KB, and a list
 * that counts the rows would read most of it from the file each time.
 */
const CACHE = 16_384

/**
 * Returns the function that prepares each new connection.
 *
 * @param protect  called before the first statement, which creates further files next to the database file
 */
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
 * Removes the access of other users of the machine to the files of an SQLite database, if this process owns the files.
 * Files that SQLite creates later inherit the permissions of the database file.
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
