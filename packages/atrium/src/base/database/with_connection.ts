import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Knex } from 'knex'
import { connectionOf } from '#upstream/knex_transaction'
import db from '@adonisjs/lucid/services/db'
import type { LucidModel } from '@adonisjs/lucid/types/model'

/**
 * Runs work on a connection of the driver, without Lucid and Knex: on the connection of the transaction if the client
 * is one, otherwise on a connection that no other code uses until the work is done.
 *
 * @throws Error  when the client is a completed transaction
 */
export async function withConnection<Result>(
  client: QueryClientContract,
  run: (connection: any) => PromiseLike<Result> | Result
): Promise<Result> {
  if (client.isTransaction)
    return await run(await connectionOf(client as TransactionClientContract))
  return await withPooled(client.getReadClient().client, run)
}

/**
 * Runs work on a connection for writing.
 *
 * @param client  client that is not a transaction
 */
export async function withWriter<Result>(
  client: QueryClientContract,
  run: (connection: any) => PromiseLike<Result> | Result
): Promise<Result> {
  return await withPooled(client.getWriteClient().client, run)
}

async function withPooled<Result>(
  pool: Knex.Client,
  run: (connection: any) => PromiseLike<Result> | Result
): Promise<Result> {
  const connection = await pool.acquireConnection()
  try {
    return await run(connection)
  } finally {
    pool.releaseConnection(connection)
  }
}

/** Returns the name of the model's connection, or the application's default connection. */
export function connectionNameOf({ connection }: LucidModel): string {
  return connection ?? db.primaryConnectionName
}
