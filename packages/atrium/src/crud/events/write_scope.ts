import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { ambientActor, ANONYMOUS } from '#base/actor'
import { afterRelease } from '#base/database/outermost_commit'
import type { Actor, Origin } from '../types.js'
import { deliver } from './observers.js'
import type { Write } from './write.js'
import { knexOf, type KnexTransaction } from '#upstream/knex_transaction'

/** The writes of one action, collected while its transaction runs. */
interface WriteScope {
  readonly transaction: KnexTransaction
  /** The model that the action writes; its hooks can write other models */
  readonly model: LucidModel | undefined
  /** The actor of the call, or the system if it has none */
  readonly actor: Actor
  /** The actor of the `runAs` around the action; undefined outside one */
  readonly ambient: Actor | undefined
  readonly origin: Origin | undefined
  readonly writes: Write[]
}

interface ScopeOptions {
  model?: LucidModel
  actor?: Actor
  origin?: Origin
  /**
   * True to discard writes without a listener, because all writes of a long transaction would otherwise remain in
   * memory until its commit
   */
  forgets?: boolean
}

const SCOPES = new WeakMap<KnexTransaction, WriteScope>()

/** Records that were read and locked by the transaction that writes them. */
const LOCATED = new WeakSet<LucidRow>()

/**
 * Runs an action whose writes belong together: they are delivered when it ends, inside its transaction, with writes of
 * the action's model first. A nested action is part of the outer one.
 */
export async function gatherWrites<Result>(
  client: TransactionClientContract,
  { model, actor, origin, forgets }: ScopeOptions,
  work: () => Promise<Result>
): Promise<Result> {
  const outer = scopeOf(client)
  const scope: WriteScope = {
    transaction: knexOf(client),
    model,
    actor: actor ?? actorWithin(outer),
    ambient: ambientActor(),
    origin: origin ?? outer?.origin,
    writes: [],
  }
  SCOPES.set(scope.transaction, scope)
  try {
    const result = await work()
    if (outer) addToScope(outer, client, scope.writes)
    else await deliver(ownFirst(scope), client, forgets)
    return result
  } finally {
    if (outer?.transaction === scope.transaction) SCOPES.set(outer.transaction, outer)
    else SCOPES.delete(scope.transaction)
  }
}

/**
 * Returns the actor of a write for which no actor is given: the actor of the action, unless code within it runs on
 * behalf of another actor.
 */
export function actorWithin(scope: WriteScope | undefined): Actor {
  const ambient = ambientActor()
  if (scope && ambient === scope.ambient) return scope.actor
  return ambient ?? scope?.actor ?? ANONYMOUS
}

/** Adds writes to an action; writes of a nested transaction are added after its release. */
export function addToScope(scope: WriteScope, client: QueryClientContract, writes: Write[]): void {
  afterRelease(client, scope.transaction, () => scope.writes.push(...writes))
}

/** Returns the action that a client's writes belong to; undefined outside actions. */
export function scopeOf(client: QueryClientContract | undefined): WriteScope | undefined {
  let transaction = client?.isTransaction ? knexOf(client) : undefined
  while (transaction) {
    const scope = SCOPES.get(transaction)
    if (scope) return scope
    transaction = transaction.parentTransaction
  }
  return undefined
}

/** Notes that the model instance has the current values of its row. `takeLocated` removes the note. */
export function markLocated(record: LucidRow): void {
  LOCATED.add(record)
}

/** True if the record is equal to its row. Removes the mark. */
export function takeLocated(record: LucidRow): boolean {
  return LOCATED.delete(record)
}

/**
 * Sorts writes: first those of the action itself, then those of its hooks for other models or actors, then those that
 * the database performed because of them.
 */
function ownFirst({ model, actor, writes }: WriteScope): Write[] {
  const rank = (write: Write) =>
    write.caused ? -1 : 2 * Number(write.model === model) + Number(write.actor === actor)
  return writes.toSorted((one, other) => rank(other) - rank(one))
}
