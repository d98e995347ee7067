import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { lightConnectionOf } from './light_transaction.js'

/**
 * Runs something on a connection of the driver's, past Lucid and knex: on the transaction's own where
 * the client is one, else on one that is for this alone until it is done.
 */
export async function withConnection<Result>(
  client: QueryClientContract,
  run: (connection: any) => PromiseLike<Result> | Result
): Promise<Result> {
  if (client.isTransaction) return await run(await connectionOf(client as any))
  const pool = client.getReadClient().client
  const connection = await pool.acquireConnection()
  try {
    return await run(connection)
  } finally {
    pool.releaseConnection(connection)
  }
}

function connectionOf(transaction: TransactionClientContract) {
  return lightConnectionOf(transaction) ?? transaction.knexClient.client.acquireConnection()
}
