import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Statement } from '../dialect.js'
import { withConnection } from '../with_connection.js'

/** Connection of either driver */
export interface RawConnection {
  /** Only in `better-sqlite3` */
  readonly inTransaction?: boolean
  exec(sql: string, callback?: (error: Error | null) => void): void
}

/**
 * True if further writes can join a transaction after its first write has ended:
 * - SQLite has not rolled it back, as it does after some errors that application code can have caught. Each savepoint
 *   would then be a separate transaction.
 * - The database has no deferred constraints: a violation of one would make the COMMIT fail for all writes.
 */
export async function mayShareCommit(transaction: TransactionClientContract): Promise<boolean> {
  if (!(await withConnection(transaction, isInTransaction))) return false
  const [deferred] = await transaction.rawQuery(DEFERRED)
  return deferred === undefined
}

const DEFERRED =
  "select 1 from sqlite_master where type = 'table' and sql like '%initially%deferred%' limit 1"

/** True if any constraint of the database is deferred to the commit. */
export async function defersConstraints(
  command: (sql: string) => Statement,
  connection: RawConnection
): Promise<boolean> {
  const rows = await command(DEFERRED)(connection)
  return rows.length > 0
}

/** True if the connection is in a transaction. SQLite can have rolled it back. */
export async function isInTransaction(connection: RawConnection): Promise<boolean> {
  if (connection.inTransaction !== undefined) return connection.inTransaction
  /* The driver `sqlite3` does not provide this state, but no transaction can begin within another. */
  const run = (sql: string) =>
    new Promise<boolean>((resolve) => connection.exec(sql, (error) => resolve(!error)))
  if (!(await run('BEGIN'))) return true
  await run('ROLLBACK')
  return false
}
