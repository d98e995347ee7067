import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { connectionOf } from '../../upstream/knex_transaction.js'

/**
 * Runs something on a connection of the driver's, past Lucid and knex: on the transaction's own where
 * the client is one, else on one that is for this alone until it is done.
 *
 * @throws Error  when the client is a transaction that is over
 */
export async function withConnection<Result>(
  client: QueryClientContract,
  run: (connection: any) => PromiseLike<Result> | Result
): Promise<Result> {
  if (client.isTransaction)
    return await run(await connectionOf(client as TransactionClientContract))
  const pool = client.getReadClient().client
  const connection = await pool.acquireConnection()
  try {
    return await run(connection)
  } finally {
    pool.releaseConnection(connection)
  }
}
