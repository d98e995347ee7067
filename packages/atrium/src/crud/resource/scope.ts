import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import type { Actor } from '../types.js'

/**
 * Narrows a query to the rows that the actor is allowed to see. For the actor, other rows do not exist. A scope adds
 * only conditions, synchronously; a condition that compares with undefined, or with null as in `where('branch_id',
 * null)`, matches no row.
 */
export type Scope = (query: ModelQueryBuilderContract<LucidModel, any>, actor: Actor) => void

const NAMES = new WeakMap<Scope, string>()

/** Sets the name of a scope for the log. */
export function nameScope(scope: Scope, name: string): void {
  NAMES.set(scope, name)
}

/** Returns the description of a scope for the log: `The scope ownBranch of Doctor`. */
export function wordsOfScope(scope: Scope, model: string): string {
  const name = NAMES.get(scope) ?? scope.name
  return name === '' || name === 'scope' ? `The scope of ${model}` : `The scope ${name} of ${model}`
}
