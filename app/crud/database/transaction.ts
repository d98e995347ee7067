import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { beginLightly } from './light_transaction.js'

/**
 * Runs the work in a transaction, a savepoint where the client is one already, and returns once it is
 * committed. Knex, and so Lucid, takes a COMMIT that the database refused (a full disk, a deferred
 * constraint) for one that it carried out; here it throws.
 *
 * @throws what the work throws, after a rollback, or what the database says to the commit
 */
export async function inTransaction<Result>(
  client: QueryClientContract,
  work: (transaction: TransactionClientContract) => Promise<Result>
): Promise<Result> {
  const transaction = await begin(client)
  const settled = settledPromise(transaction)
  let end: { error: unknown } | undefined
  settled.catch((error) => (end = { error }))
  let result: Result
  try {
    result = await work(transaction)
  } catch (error) {
    /* Of a BEGIN that failed, whoever uses the transaction only hears that it is over. */
    if (end) throw end.error
    /* Where that fails the database has done it already, or is gone: what went wrong is the other. */
    await transaction.rollback().catch(() => {})
    throw error
  }
  await transaction.commit()
  await settled
  return result
}

/** Knex tells of its own queries only, so who debugs has it begin the transaction as well. */
function begin(client: QueryClientContract): Promise<TransactionClientContract> {
  return client.isTransaction || client.debug ? client.transaction() : beginLightly(client)
}

/**
 * Resolves when a transaction has ended as it was told to, rejects when its end failed.
 */
export function settledPromise(transaction: TransactionClientContract): Promise<unknown> {
  const { executionPromise } = transaction.knexClient as unknown as {
    executionPromise: Promise<unknown>
  }
  /* Who waits for it hears of a failure; nobody has to. */
  executionPromise.catch(() => {})
  return executionPromise
}
