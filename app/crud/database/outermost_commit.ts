import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'

type Callback = () => void

/** The part of a knex transaction that we rely on. */
export interface KnexTransaction {
  parentTransaction?: KnexTransaction
  commit(value?: unknown): Promise<unknown>
  /** Rejects when the end of the transaction failed; commit() does not */
  executionPromise: Promise<unknown>
  rollback(error?: unknown): Promise<unknown>
}

interface Waiting {
  callback: Callback
  /** The transaction that it is enough to be released into */
  until?: KnexTransaction
}

const WAITING = new WeakMap<KnexTransaction, Waiting[]>()

/**
 * Calls back once what was written through this client is there for good: when the outermost
 * transaction has committed, at once if there is none, never if any transaction around it rolls
 * back. (Lucid's own `after('commit')` already fires when a nested transaction is released, before
 * the outer one may still roll back.) [E1]
 *
 * @param client    the client that wrote
 * @param callback  must not throw; it runs after the commit, so nothing could be undone
 */
export function afterOutermostCommit(client: QueryClientContract, callback: Callback): void {
  if (client.isTransaction) waitingOf(knexOf(client)).push({ callback })
  else callback()
}

/**
 * Calls back once what was written in a nested transaction belongs to one around it, at once if it is
 * that one; never if it is rolled back before.
 */
export function afterRelease(
  client: QueryClientContract,
  until: KnexTransaction,
  callback: Callback
): void {
  const transaction = knexOf(client)
  if (transaction === until) callback()
  else waitingOf(transaction).push({ callback, until })
}

/**
 * The transaction that a client runs in.
 */
export function knexOf(client: QueryClientContract): KnexTransaction {
  return (client as TransactionClientContract).knexClient as unknown as KnexTransaction
}

/**
 * The callbacks that wait for this transaction. The first to ask makes the transaction hand them on:
 * to its parent when it is released, to the world when it commits, to nobody when it rolls back.
 */
function waitingOf(transaction: KnexTransaction): Waiting[] {
  const known = WAITING.get(transaction)
  if (known) return known

  const waiting: Waiting[] = []
  WAITING.set(transaction, waiting)

  const { commit, rollback } = transaction
  transaction.commit = async (value) => {
    const result = await commit(value)
    try {
      await transaction.executionPromise
    } catch {
      waiting.length = 0
      return result
    }
    const { parentTransaction } = transaction
    for (const one of waiting.splice(0)) {
      if (parentTransaction && parentTransaction !== one.until) {
        waitingOf(parentTransaction).push(one)
      } else one.callback()
    }
    return result
  }
  transaction.rollback = (error) => {
    waiting.length = 0
    return rollback(error)
  }
  return waiting
}
