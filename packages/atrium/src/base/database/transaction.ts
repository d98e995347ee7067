import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { postgresForms } from './postgres/postgres_connection.js'
import { reportFailedEnd } from '#upstream/knex_transaction'

type Isolation = { isolationLevel: 'repeatable read' }
type Begin = (callback: undefined, options?: Isolation) => Promise<TransactionClientContract>

/**
 * Begins a transaction, or a savepoint if the client is already a transaction. A COMMIT that the database refuses (a
 * full disk, a deferred constraint) throws.
 *
 * @throws the database's error of BEGIN
 */
export async function beginTransaction(
  client: QueryClientContract,
  options?: Isolation
): Promise<TransactionClientContract> {
  /* Lucid 22.4 reads the options only from the second parameter, contrary to its types. */
  const begin = client.transaction.bind(client) as unknown as Begin
  const transaction = await begin(undefined, options)
  const ended = reportFailedEnd(transaction)
  /* After a failed BEGIN, Knex still returns a transaction, which is already completed. */
  if (transaction.isCompleted) await ended
  if (!client.isTransaction && client.dialect.name === 'postgres' && postgresForms(client)) {
    refuseFailedCommit(transaction)
  }
  return transaction
}

/**
 * After a failed statement, PostgreSQL handles COMMIT as ROLLBACK, and Knex reports success. Connections of
 * `postgresConnection` refuse such a COMMIT; on other connections, a statement is run first, which fails then.
 */
function refuseFailedCommit(transaction: TransactionClientContract): void {
  const commit = transaction.commit.bind(transaction)
  transaction.commit = async () => {
    try {
      await transaction.rawQuery('select 1')
    } catch (error) {
      await transaction.rollback().catch(() => {})
      throw error
    }
    await commit()
  }
}

/**
 * Runs the work in a transaction, or in a savepoint if the client is already a transaction, and returns after the
 * commit. The work can use all features of Lucid, because it is a Lucid transaction. In addition, a COMMIT that the
 * database refuses throws, and the work does not start after a failed BEGIN.
 *
 * @throws the error of the work, after a rollback, or the database's error of BEGIN or COMMIT
 */
export async function inTransaction<Result>(
  client: QueryClientContract,
  work: (transaction: TransactionClientContract) => Promise<Result>,
  options?: Isolation
): Promise<Result> {
  const transaction = await beginTransaction(client, options)
  let result: Result
  try {
    result = await work(transaction)
  } catch (error) {
    /* If the rollback fails, the database has already rolled back or is not available: the first error is the cause. */
    await transaction.rollback().catch(() => {})
    throw error
  }
  await transaction.commit()
  return result
}

/**
 * Runs work in a transaction in which all reads see one snapshot. Transactions of SQLite always do, and have no
 * isolation levels.
 */
export async function inSnapshot<Result>(
  client: QueryClientContract,
  work: (transaction: TransactionClientContract) => Promise<Result>
): Promise<Result> {
  const hasLevels = !client.dialect.name.includes('sqlite')
  return await inTransaction(
    client,
    work,
    hasLevels ? { isolationLevel: 'repeatable read' } : undefined
  )
}
