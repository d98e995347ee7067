import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import type { Actor } from '../types.js'

/**
 * Narrows a query to the rows that the actor may see. Hidden rows do not exist for them. It only adds
 * conditions, synchronously; one that compares with nothing (undefined, or null as in `where('branch_id', null)`)
 * matches no row. [P14, U3]
 */
export type Scope = (query: ModelQueryBuilderContract<LucidModel, any>, actor: Actor) => void

const NAMES = new WeakMap<Scope, string>()

/**
 * Notes what a scope is called, for the log.
 */
export function nameScope(scope: Scope, name: string): void {
  NAMES.set(scope, name)
}

/**
 * A scope as the log calls it: `The scope ownBranch of Doctor`.
 */
export function wordsOfScope(scope: Scope, model: string): string {
  const name = NAMES.get(scope) ?? scope.name
  return name === '' || name === 'scope' ? `The scope of ${model}` : `The scope ${name} of ${model}`
}
