import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Statement } from '../dialect.js'
import { withConnection } from '../with_connection.js'

/** Connection of either driver */
export interface RawConnection {
  /** Of `better-sqlite3` alone */
  readonly inTransaction?: boolean
  exec(sql: string, callback?: (error: Error | null) => void): void
}

/**
 * True if further writes may join a transaction whose own write has ended:
 * - SQLite has not rolled it back by itself, as after some errors, which own code may have caught. Savepoints
 *   would be transactions of their own then.
 * - No constraint of the database is deferred: a COMMIT would fail for all because of one of them.
 */
export async function mayShareCommit(transaction: TransactionClientContract): Promise<boolean> {
  if (!(await withConnection(transaction, isInTransaction))) return false
  const [deferred] = await transaction.rawQuery(DEFERRED)
  return deferred === undefined
}

const DEFERRED =
  "select 1 from sqlite_master where type = 'table' and sql like '%initially%deferred%' limit 1"

/** True if a constraint of the database is deferred to the commit. */
export async function defersConstraints(
  command: (sql: string) => Statement,
  connection: RawConnection
): Promise<boolean> {
  const rows = await command(DEFERRED)(connection)
  return rows.length > 0
}

/** True if the connection has a transaction, which SQLite may have rolled back by itself. */
export async function isInTransaction(connection: RawConnection): Promise<boolean> {
  if (connection.inTransaction !== undefined) return connection.inTransaction
  /* The driver `sqlite3` can't be asked, but no transaction begins within another. */
  const run = (sql: string) =>
    new Promise<boolean>((resolve) => connection.exec(sql, (error) => resolve(!error)))
  if (!(await run('BEGIN'))) return true
  await run('ROLLBACK')
  return false
}
