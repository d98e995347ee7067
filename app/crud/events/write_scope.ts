import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { ambientActor, NOBODY } from '../actor.js'
import { afterRelease, knexOf, type KnexTransaction } from '../database/outermost_commit.js'
import type { Actor, Origin } from '../types.js'
import { deliver } from './observers.js'
import type { Write } from './write.js'

/**
 * The writes of one action, gathered while its transaction runs.
 */
export interface WriteScope {
  readonly transaction: KnexTransaction
  /** What the action writes; its hooks may write others */
  readonly model: LucidModel | undefined
  readonly actor: Actor
  /** Who the work around the action was for */
  readonly ambient: Actor | undefined
  readonly origin: Origin | undefined
  readonly writes: Write[]
}

interface ScopeOptions {
  model?: LucidModel
  actor?: Actor
  origin?: Origin
}

const SCOPES = new WeakMap<KnexTransaction, WriteScope>()

/** Records that were read and locked by the very transaction that writes them. */
const LOCATED = new WeakSet<LucidRow>()

/**
 * Runs an action whose writes belong together: they are delivered at its end, inside its transaction,
 * those of the action's own model first. An action within another is part of it. [E3]
 */
export async function gatherWrites<Result>(
  client: TransactionClientContract,
  { model, actor, origin }: ScopeOptions,
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
    else await deliver(ownFirst(scope), client)
    return result
  } finally {
    if (outer?.transaction === scope.transaction) SCOPES.set(outer.transaction, outer)
    else SCOPES.delete(scope.transaction)
  }
}

/**
 * Whose a write is that is told no actor: the action's, unless code within it runs for somebody else.
 */
export function actorWithin(scope: WriteScope | undefined): Actor {
  const ambient = ambientActor()
  if (scope && ambient === scope.ambient) return scope.actor
  return ambient ?? scope?.actor ?? NOBODY
}

/**
 * Adds writes to an action; those of a transaction within its own once that is released.
 */
export function addToScope(scope: WriteScope, client: QueryClientContract, writes: Write[]): void {
  afterRelease(client, scope.transaction, () => scope.writes.push(...writes))
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

/**
 * Notes that the record is as the database has it, until it is written.
 */
export function markLocated(record: LucidRow): void {
  LOCATED.add(record)
}

/**
 * Whether the record is as the database has it. After a write it counts no longer.
 */
export function takeLocated(record: LucidRow): boolean {
  return LOCATED.delete(record)
}

/** What the action's hooks write beside, and for somebody else, comes after. */
function ownFirst({ model, actor, writes }: WriteScope): Write[] {
  const rank = (write: Write) => 2 * Number(write.model === model) + Number(write.actor === actor)
  return writes.toSorted((one, other) => rank(other) - rank(one))
}
