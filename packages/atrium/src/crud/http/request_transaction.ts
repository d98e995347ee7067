import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { inTransaction } from '#base/database/transaction'
import { RequestValue } from '#base/http/request'
import type { Resource } from '../resource/resource.js'

const TRANSACTIONS = new RequestValue<TransactionClientContract>('transaction')

/** Returns the transaction that contains the writes of a request, if there is one. */
export function transactionOf(ctx: HttpContext): TransactionClientContract | undefined {
  return TRANSACTIONS.get(ctx)
}

/**
 * Runs writes of a request in one transaction, or in a savepoint if the request already has a transaction.
 *
 * @throws the error of the work, or the database's error of BEGIN or COMMIT
 */
export async function inTransactionOf<Result>(
  ctx: HttpContext,
  client: QueryClientContract,
  work: (transaction: TransactionClientContract) => Promise<Result>
): Promise<Result> {
  const outer = TRANSACTIONS.get(ctx)
  try {
    return await inTransaction(outer ?? client, async (transaction) => {
      TRANSACTIONS.set(ctx, transaction)
      return await work(transaction)
    })
  } finally {
    if (outer) TRANSACTIONS.set(ctx, outer)
    else TRANSACTIONS.delete(ctx)
  }
}

/** The model that a request concerns, even if its caller is not allowed to see it. */
export const requestSubject = new RequestValue<Resource>('subject')
