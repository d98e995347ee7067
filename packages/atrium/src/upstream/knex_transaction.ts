/*
 * Knex 3.3.0 (lib/execution/transaction.js) ends a transaction in two ways that a write can't rely on:
 * - `commit()` resolves although the database refused the COMMIT; only `executionPromise`, which is missing in Knex's
 *   types, rejects. Lucid then runs the hooks after a commit.
 * - A connection whose ROLLBACK failed, or took longer than five seconds, is returned to the pool with the transaction
 *   open. `__knex__disposed` is the property with which Knex itself makes the pool replace a connection.
 *
 * https://github.com/knex/knex/issues/3370 (the first part). The first part can be removed when the test "knex still
 * treats a refused COMMIT as successful" fails, the second when "knex still releases a connection whose ROLLBACK has
 * failed" does.
 */
import { createRequire } from 'node:module'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { expectLibrary, hasMethods, hasText } from './expect_library.js'

const load = createRequire(import.meta.url)

/** The part of a Knex transaction that is used here. */
export interface KnexTransaction {
  readonly client: KnexClient
  /** The enclosing transaction of a savepoint */
  readonly parentTransaction?: KnexTransaction
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

const OPEN = 'the transaction may still be open'

/**
 * Checks the parts of Knex that this file relies on.
 *
 * @throws Exception  when Knex ends transactions, or provides connections, in a different way
 */
export function checkLibrary({
  Transaction = load('knex/lib/execution/transaction.js'),
  Client = load('knex/lib/client.js'),
}: Record<string, any> = {}): void {
  const { _onAcquire: begin, rollback } = Transaction.prototype
  expectLibrary('knex', 'knex_transaction', {
    'executionPromise of a transaction': hasText(begin, 'transactor.executionPromise ='),
    'parentTransaction of a transaction': hasText(begin, 'transactor.parentTransaction ='),
    "'ROLLBACK' in Transaction#rollback": hasText(rollback, "'ROLLBACK'"),
    'Client#query, acquireConnection': hasMethods(Client.prototype, 'query', 'acquireConnection'),
    '__knex__disposed in Client#getPoolSettings': hasText(
      Client.prototype.getPoolSettings,
      '__knex__disposed'
    ),
  })
}

/** Returns Knex's transaction object of a client. */
export function knexOf(client: QueryClientContract): KnexTransaction {
  return (client as TransactionClientContract).knexClient as unknown as KnexTransaction
}

/**
 * Reports how a transaction ends: `onCommit` for a COMMIT or a RELEASE that the database performed, before the caller
 * of `commit()` continues, otherwise `onUndo`.
 */
export function watchEnd(
  transaction: KnexTransaction,
  { onCommit, onUndo }: { onCommit: () => void; onUndo: () => void }
): void {
  const { commit, rollback } = transaction
  transaction.commit = async (value) => {
    const result = await commit(value)
    const isDone = await transaction.executionPromise.then(
      () => true,
      () => false
    )
    if (isDone) onCommit()
    else onUndo()
    return result
  }
  transaction.rollback = (error) => {
    onUndo()
    return rollback(error)
  }
}

/**
 * Makes a new transaction report a failed end: its `commit()` throws the database's error for the COMMIT, and its
 * connection is reused only after a successful ROLLBACK.
 *
 * @returns a promise that resolves when the transaction has ended, and rejects when the end failed
 */
export function reportFailedEnd(transaction: TransactionClientContract): Promise<unknown> {
  const knex = knexOf(transaction)
  const { commit, executionPromise, rollback } = knex
  /* Callers can wait for this promise to detect a failure, but do not have to. */
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
 * Makes a transaction refuse further statements and savepoints, like a completed one, although it has not been
 * committed yet.
 *
 * @returns a function that ends this state; must be called before the COMMIT or the ROLLBACK
 */
export function seal(transaction: TransactionClientContract): () => void {
  const knex = knexOf(transaction)
  const { client, isCompleted } = knex
  const { query } = client
  const refuse = async () => {
    throw new Error('The write of this transaction is over')
  }
  knex.isCompleted = () => true
  client.query = refuse
  transaction.transaction = refuse
  return () => {
    knex.isCompleted = isCompleted
    client.query = query
  }
}

/**
 * Counts the nested transactions that have begun within a transaction and have not ended. Knex does not begin another
 * nested transaction before they end.
 *
 * @returns a function that returns the current number
 */
export function countNested(transaction: TransactionClientContract): () => number {
  let open = 0
  const begin = transaction.transaction.bind(transaction) as (...args: any[]) => Promise<any>
  transaction.transaction = async (...args: any[]) => {
    open++
    const end = () => void open--
    if (typeof args[0] === 'function') return await begin(...args).finally(end)
    try {
      const nested = await begin(...args)
      knexOf(nested).executionPromise.then(end, end)
      return nested
    } catch (error) {
      end()
      throw error
    }
  }
  return () => open
}

/**
 * Returns the driver's connection of a transaction.
 *
 * @throws Error  when the transaction has ended, because its connection could be in use elsewhere
 */
export async function connectionOf(transaction: TransactionClientContract): Promise<object> {
  if (transaction.isCompleted) throw new Error('The transaction is over')
  const { client } = knexOf(transaction)
  return await client.acquireConnection()
}

/** Makes the pool replace a connection when it is released, because its transaction could still be open. */
export function discardConnection(connection: object): void {
  ;(connection as Connection).__knex__disposed = OPEN
}

function distrustUntilRolledBack(client: KnexClient): void {
  const { query } = client
  client.query = async (connection, sql) => {
    if (sql !== 'ROLLBACK' || connection.__knex__disposed) return await query(connection, sql)
    connection.__knex__disposed = OPEN
    const result = await query(connection, sql)
    delete connection.__knex__disposed
    return result
  }
}
