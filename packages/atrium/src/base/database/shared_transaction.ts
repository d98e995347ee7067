import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { commitGroupsOf } from './sqlite/sqlite_connection.js'
import { inTransaction } from './transaction.js'

/**
 * Runs a write as `inTransaction` does. On SQLite, writes that wait for its one writing connection share the
 * transaction of the one that they wait for: each is in a savepoint, and is undone alone if it fails, but all
 * are committed together.
 *
 * @throws the error of the work, after a rollback, or the database's error of BEGIN or COMMIT
 */
export async function inSharedTransaction<Result>(
  client: QueryClientContract,
  work: (transaction: TransactionClientContract) => Promise<Result>
): Promise<Result> {
  const groups = commitGroupsOf(client)
  return groups ? await groups.run(client, work) : await inTransaction(client, work)
}
