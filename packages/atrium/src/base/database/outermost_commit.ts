import { AsyncLocalStorage } from 'node:async_hooks'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { knexOf, watchEnd, type KnexTransaction } from '#upstream/knex_transaction'

type Callback = () => void

interface Waiting {
  callback: Callback
  /** Outer transaction into which a release is sufficient; undefined to wait for the outermost commit */
  until?: KnexTransaction
}

const WAITING = new WeakMap<KnexTransaction, Waiting[]>()

/**
 * Calls back once the writes of this client are durable: when the outermost transaction commits, immediately
 * without a transaction, never if any enclosing transaction rolls back. (Lucid's `after('commit')` already fires when a
 * nested transaction is released, although the outer one can still roll back.)
 *
 * @param client    client that wrote
 * @param callback  must not throw: it runs after the commit, which cannot be undone
 */
export function afterOutermostCommit(client: QueryClientContract, callback: Callback): void {
  if (!client.isTransaction) return callback()
  const transaction = knexOf(client)
  /* A nested callback is bound to its async context, because another request can commit the enclosing transaction. */
  const isNested = transaction.parentTransaction !== undefined
  waitingOf(transaction).push({ callback: isNested ? AsyncLocalStorage.bind(callback) : callback })
}

/**
 * Calls back once a nested transaction is released into the outer one: immediately if the client is the outer one,
 * never if it rolls back first.
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
 * Returns the callbacks that wait for this transaction. The first call makes the transaction pass the callbacks to its
 * parent when it is released, run them when it commits, and discard them when it rolls back.
 */
function waitingOf(transaction: KnexTransaction): Waiting[] {
  const known = WAITING.get(transaction)
  if (known) return known

  const waiting: Waiting[] = []
  WAITING.set(transaction, waiting)

  watchEnd(transaction, {
    onUndo: () => void (waiting.length = 0),
    onCommit: () => {
      const { parentTransaction } = transaction
      for (const one of waiting.splice(0)) {
        if (parentTransaction && parentTransaction !== one.until) {
          waitingOf(parentTransaction).push(one)
        } else one.callback()
      }
    },
  })
  return waiting
}
