import type { Operation } from '../operations/operation.js'
import { isExcludedFromInclude } from '../resource/excluded_from_include.js'
import type { IncludedRelation, Resource } from '../resource/resource.js'
import type { Access } from '../types.js'

/** The access rules of a model's endpoints. */
interface AccessRules {
  readonly operations: readonly Operation[]
  isAccessDefault(operation: Operation): boolean
  accessOf(operation: Operation): Access
}

const RULES = new WeakMap<Resource, AccessRules>()

/**
 * Remembers the access rules of a resource's endpoints.
 */
export function noteAccess(resource: Resource, rules: AccessRules): void {
  RULES.set(resource, rules)
}

/**
 * Access to related items in an `include`: the access rules of the related model's endpoints, or its
 * option `access` if it has no such endpoints. [Q3]
 *
 * @returns undefined if no caller may include them
 */
export function accessToInclude({ isList, resource }: IncludedRelation): Access | undefined {
  if (isExcludedFromInclude(resource.model)) return undefined
  const operation = isList ? 'read_multi' : 'read'
  const rules = RULES.get(resource)
  const isSaid =
    rules?.operations.includes(operation) || rules?.isAccessDefault(operation) === false
  return isSaid ? rules!.accessOf(operation) : undefined
}

/** The relations that responses of the resource's endpoints can include, by API name. [Q3] */
export function includesOf({ includes }: Resource): ReadonlyMap<string, IncludedRelation> {
  return new Map([...includes].filter(([, include]) => accessToInclude(include)))
}
