import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import type { Operation } from '../operations/operation.js'
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

/** An operation that can be granted. Restoring a soft-deleted item is a separate operation. */
export type GrantedOperation = Operation | 'restore'

/** Permissions of one role on one model. */
export interface Grant {
  operations: ReadonlySet<GrantedOperation> | 'all'
  /** API names of fields that are hidden, and therefore not writable */
  hidden: ReadonlySet<string>
  /** API names of fields that are not writable, including on create */
  readonly: ReadonlySet<string>
  /** Names of transitions, such as `status:draft>confirmed`. Default: all if `operations` is `'all'`, otherwise none */
  transitions?: ReadonlySet<string> | 'all'
  /** Scopes of the grant: it includes records in any of them; null: all records, `[]`: none */
  scopes: readonly Scope[] | null
}

/** A model whose grants are checked; a `Resource` is one. */
export interface GovernedModel {
  readonly name: string
  readonly model: LucidModel
}

/** Permissions of actors, which restrict them further than the `policy` and `scope` of a model. */
export interface Permissions {
  /**
   * Returns the grants of an actor on a model. Actors with the same grants get the same array object.
   *
   * @returns null if the actor is not restricted; `[]` if the actor is not allowed to do anything
   */
  grantsOf(actor: Actor, resource: GovernedModel): Promise<readonly Grant[] | null>
}

let registered: Permissions | undefined

/**
 * Registers the source of permissions; undefined: no actor is restricted.
 *
 * @returns the previous source
 */
export function usePermissions(given: Permissions | undefined): Permissions | undefined {
  const before = registered
  registered = given
  return before
}

/** Returns the registered permissions, if any. */
export function permissions(): Permissions | undefined {
  return registered
}

/** True if grants apply to the actor. Application code and anonymous actors have no roles. */
export function isGoverned({ kind }: Actor): boolean {
  return kind !== 'system' && kind !== 'none'
}
