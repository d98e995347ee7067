import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { Operation } from '../operations/operation.js'
import type { Actor } from '../types.js'
import type { Scope } from './scope.js'

/** An operation that can be granted: taking a soft deletion back is one of its own. [U2] */
export type GrantedOperation = Operation | 'restore'

/**
 * Permissions of one role on one model. [U2, U3]
 */
export interface Grant {
  operations: ReadonlySet<GrantedOperation> | 'all'
  /** Names in the API of the fields that are not shown, and so not written either */
  hidden: ReadonlySet<string>
  /** Names in the API of the fields that are not written, on create neither */
  readonly: ReadonlySet<string>
  /** A record is reached by any of them; null: all records, `[]`: none */
  scopes: readonly Scope[] | null
}

/**
 * A model whose grants are checked; a `Resource` is one.
 */
export interface GovernedModel {
  readonly name: string
  readonly model: LucidModel
}

/**
 * Knows what actors may do in addition to what `policy` and `scope` of a model say. [U4]
 */
export interface Permissions {
  /**
   * The same list, object for object, wherever the same roles allow the same.
   *
   * @returns null where the actor is not restricted; `[]` where they may do nothing
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

/**
 * The registered permissions, if any.
 */
export function permissions(): Permissions | undefined {
  return registered
}

/** Application code and anonymous actors have no roles. */
export function isGoverned({ kind }: Actor): boolean {
  return kind !== 'system' && kind !== 'none'
}
