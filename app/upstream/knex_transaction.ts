import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/*
 * Knex 3.3 (lib/execution/transaction.js) ends a transaction in two ways that a write can't rely on:
 * - `commit()` resolves although the database refused the COMMIT; only `executionPromise`, which is in no
 *   type of knex's, rejects. Lucid runs the hooks after a commit then.
 * - A connection whose ROLLBACK failed, or took longer than five seconds, goes back into the pool with
 *   the transaction open. `__knex__disposed` is how knex itself tells the pool to make another one.
 */

/** What of a knex transaction is used here. */
interface KnexTransaction {
  readonly client: KnexClient
  readonly executionPromise: Promise<unknown>
  isCompleted(): boolean
  commit(value?: unknown): Promise<unknown>
  rollback(error?: unknown): Promise<unknown>
}

interface KnexClient {
  acquireConnection(): Promise<object>
  query(connection: Connection, sql: unknown): Promise<unknown>
}

type Connection = { __knex__disposed?: unknown }

/**
 * Makes a transaction that has just begun end as it is told to, or say that it could not: its `commit()`
 * throws what the database says to the COMMIT, and its connection is used again only after a ROLLBACK
 * that the database has carried out.
 *
 * @returns what resolves when the transaction has ended so, and rejects when its end failed
 */
export function endTruly(transaction: TransactionClientContract): Promise<unknown> {
  const knex = transaction.knexClient as unknown as KnexTransaction
  const { commit, executionPromise, rollback } = knex
  /* Waiting for it tells of a failure; nobody has to wait. */
  executionPromise.catch(() => {})
  knex.commit = async (value) => {
    const result = await commit(value)
    await executionPromise
    return result
  }
  knex.rollback = (error) => {
    if (!knex.isCompleted()) distrustUntilRolledBack(knex.client)
    return rollback(error)
  }
  return executionPromise
}

/**
 * The driver's connection of a transaction.
 *
 * @throws Error  when the transaction is over: others may have the connection by then
 */
export async function connectionOf(transaction: TransactionClientContract): Promise<object> {
  if (transaction.isCompleted) throw new Error('The transaction is over')
  const { client } = transaction.knexClient as unknown as KnexTransaction
  return await client.acquireConnection()
}

function distrustUntilRolledBack(client: KnexClient): void {
  const { query } = client
  client.query = async (connection, sql) => {
    if (sql !== 'ROLLBACK' || connection.__knex__disposed) return await query(connection, sql)
    connection.__knex__disposed = 'the transaction may still be open'
    const result = await query(connection, sql)
    delete connection.__knex__disposed
    return result
  }
}
