import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Actor, Origin } from '../types.js'
import { deliver } from './observers.js'
import type { Write } from './write.js'

interface KnexTransaction {
  parentTransaction?: KnexTransaction
}

/**
 * The writes of one action, gathered while its transaction runs.
 */
export interface WriteScope {
  readonly actor: Actor
  readonly origin: Origin | undefined
  readonly writes: Write[]
}

/** Whom own code writes for. */
export const NOBODY: Actor = Object.freeze({ kind: 'none' })

const SCOPES = new WeakMap<KnexTransaction, WriteScope>()

/**
 * Runs an action whose writes belong together: they are delivered at its end, inside its transaction.
 * [E3]
 */
export async function gatherWrites<Result>(
  client: TransactionClientContract,
  { actor = NOBODY, origin }: { actor?: Actor; origin?: Origin },
  work: () => Promise<Result>
): Promise<Result> {
  const scope: WriteScope = { actor, origin, writes: [] }
  SCOPES.set(knexOf(client), scope)
  const result = await work()
  await deliver(scope.writes, client)
  return result
}

/**
 * The action that a client's writes belong to; none for own code.
 */
export function scopeOf(client: QueryClientContract | undefined): WriteScope | undefined {
  let transaction = client?.isTransaction ? knexOf(client) : undefined
  while (transaction) {
    const scope = SCOPES.get(transaction)
    if (scope) return scope
    transaction = transaction.parentTransaction
  }
  return undefined
}

function knexOf(client: QueryClientContract): KnexTransaction {
  return (client as TransactionClientContract).knexClient as unknown as KnexTransaction
}
