import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { endTruly } from '../../upstream/knex_transaction.js'

/**
 * Runs the work in a transaction, a savepoint where the client is one already, and returns once it is
 * committed. It is Lucid's own, so that the work can do in it all that Lucid can; but a COMMIT that the
 * database refused (a full disk, a deferred constraint) throws, and without a BEGIN no work is done.
 *
 * @throws what the work throws, after a rollback, or what the database says to the begin or the commit
 */
export async function inTransaction<Result>(
  client: QueryClientContract,
  work: (transaction: TransactionClientContract) => Promise<Result>
): Promise<Result> {
  const transaction = await client.transaction()
  const ended = endTruly(transaction)
  /* Knex gives a transaction even where the BEGIN failed, and then it is over. */
  if (transaction.isCompleted) await ended
  let result: Result
  try {
    result = await work(transaction)
  } catch (error) {
    /* Where that fails the database has done it already, or is gone: what went wrong is the other. */
    await transaction.rollback().catch(() => {})
    throw error
  }
  await transaction.commit()
  return result
}
