/*
 * knex 3.3.0 (lib/dialects/sqlite3/execution/sqlite-transaction.js) on SQLite:
 * - a transaction begins with `BEGIN;`, which acquires the lock only at the first write. If another process has written
 *   since the first read, that write fails immediately, regardless of the busy timeout. Here it begins with `BEGIN
 *   IMMEDIATE;`, and waits for its turn. Knex has no option for it.
 * - a connection whose COMMIT failed is returned to the pool with its transaction open, and every later transaction on
 *   it fails. Here it is rolled back.
 *
 * No issue known. The code can be removed when the tests "knex still begins a transaction without the lock" and "knex
 * still leaves a transaction open after a refused COMMIT" fail; the source texts are checked when connections are
 * configured.
 */
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectLibrary, hasText } from './expect_library.js'
import { noteReason } from './driver_queries.js'

const load = createRequire(import.meta.url)

type Callback = (error: Error | null, ...results: any[]) => void

/** Connection of the driver `sqlite3` */
interface RawConnection {
  all(sql: string, values: unknown, callback: Callback): void
  exec(sql: string, callback: (error: Error | null) => void): void
}

/** Connection of the driver `better-sqlite3` */
interface BetterConnection {
  readonly inTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): Record<'all' | 'run', (...bindings: any[]) => any>
}

/** Milliseconds between two attempts */
const RETRY_INTERVAL = 20

/**
 * Checks the parts of Knex that this file relies on.
 *
 * @throws Exception  when Knex begins or ends transactions with other statements, or passes them to the drivers with
 *   other methods
 */
export function checkLibrary({
  Transaction = load('knex/lib/execution/transaction.js'),
  SqliteTransaction = load('knex/lib/dialects/sqlite3/execution/sqlite-transaction.js'),
  SqliteClient = load('knex/lib/dialects/sqlite3/index.js'),
  BetterClient = load('knex/lib/dialects/better-sqlite3/index.js'),
}: Record<string, any> = {}): void {
  expectLibrary('knex', 'knex_sqlite_begin', {
    "'BEGIN;' in Transaction_Sqlite#begin": hasText(SqliteTransaction.prototype.begin, "'BEGIN;'"),
    "'COMMIT;' in Transaction#commit": hasText(Transaction.prototype.commit, "'COMMIT;'"),
    "'all' in Client_SQLite3#_query": hasText(SqliteClient.prototype._query, "'all'"),
    'connection.prepare(obj.sql) in Client_BetterSQLite3#_query': hasText(
      BetterClient.prototype._query,
      'connection.prepare(obj.sql)'
    ),
  })
}

/**
 * Makes a connection of the driver `sqlite3` acquire the lock at the start of a transaction, and roll back a
 * transaction whose COMMIT fails.
 */
export function beginWithLock(connection: RawConnection): void {
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

/**
 * Does the same as `beginWithLock` for a connection of the driver `better-sqlite3`, whose `busy_timeout` must be 0:
 * waiting inside this synchronous driver would block the whole server. A statement that finds the database locked by
 * another process returns a promise and is run again.
 *
 * @param timeout  milliseconds to wait for the lock of another process
 */
export function beginBetterWithLock(connection: BetterConnection, timeout: number): void {
  const prepareStatement = connection.prepare.bind(connection)
  connection.prepare = (sql) => {
    const statement = prepareStatement(sql === 'BEGIN;' ? 'BEGIN IMMEDIATE;' : sql)
    const giveUp = (error: unknown): never => {
      /* Not if the disk is full: then SQLite has already rolled back. */
      if (sql === 'COMMIT;' && connection.inTransaction) connection.exec('ROLLBACK;')
      noteReason(error)
      throw error
    }
    for (const method of ['all', 'run'] as const) {
      const once = statement[method].bind(statement)
      statement[method] = (...bindings) => {
        try {
          return once(...bindings)
        } catch (error) {
          return isBusy(error) ? retried(() => once(...bindings), timeout, giveUp) : giveUp(error)
        }
      }
    }
    return statement
  }
}

async function retried(run: () => unknown, timeout: number, giveUp: (error: unknown) => never) {
  const end = performance.now() + timeout
  for (;;) {
    await sleep(RETRY_INTERVAL)
    try {
      return run()
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) giveUp(error)
    }
  }
}

/**
 * True if another process holds the lock. Not for a transaction that reads an old state, which can't acquire the lock
 * by waiting.
 */
function isBusy(error: unknown): boolean {
  const { code } = error as { code?: string }
  return Boolean(code?.startsWith('SQLITE_BUSY')) && code !== 'SQLITE_BUSY_SNAPSHOT'
}
