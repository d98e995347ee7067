import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Runs something on a connection of the driver's, past Lucid and knex: on the transaction's own where
 * the client is one, else on one that is for this alone until it is done.
 */
export async function withConnection<Result>(
  client: QueryClientContract,
  run: (connection: any) => PromiseLike<Result>
): Promise<Result> {
  const pool = client.isTransaction
    ? (client as TransactionClientContract).knexClient.client
    : client.getReadClient().client
  const connection = await pool.acquireConnection()
  try {
    return await run(connection)
  } finally {
    if (!client.isTransaction) pool.releaseConnection(connection)
  }
}
