import { BoundedMap } from '#base/bounded_map'
import type { Actor } from '../types.js'
import type { ColumnSet } from '#base/columns/column_set'
import { isExcludedFromInclude } from './excluded_from_include.js'
import type { RelationTo } from './included_relation.js'
import type { GovernedModel, Grant, Permissions, Scope } from './permissions.js'
import { Projection } from './projection.js'

/** Maximum number of projections per resource; users have few distinct sets of permissions. */
const STORED_MAX = 100

/** The properties of a resource that a projection needs. */
interface Projectable extends GovernedModel {
  readonly table: string
  readonly columns: ColumnSet
  readonly includes: ReadonlyMap<string, RelationTo<Projectable>>
}

/** Projections of one resource, each created once per distinct set of permissions. */
export class Projections<Resource extends Projectable> {
  readonly #resources = new BoundedMap<string, Resource>(STORED_MAX)

  /**
   * @param project  creates the resource for a projection
   */
  constructor(
    private readonly resource: Resource,
    private readonly project: (projection: Projection) => Resource
  ) {}

  /**
   * Returns the resource as the actor is allowed to see it; the resource itself if nothing restricts the actor.
   */
  async for(actor: Actor, permissions: Permissions): Promise<Resource> {
    const grants = await permissions.grantsOf(actor, this.resource)
    const without = new Set<string>()
    for (const [name, include] of this.resource.includes) {
      /* The code that mounts endpoints with such includes authorizes them. */
      if (isExcludedFromInclude(include.resource.model)) continue
      const related = await permissions.grantsOf(actor, include.resource)
      if (related !== null && !areShown(include, related)) without.add(name)
    }
    if (without.size === 0 && (grants === null || isWhole(grants))) return this.resource

    const id = `${grants === null ? '' : fingerprintOf(grants)}/${JSON.stringify([...without])}`
    let known = this.#resources.get(id)
    if (!known) this.#resources.set(id, (known = this.project(new Projection(grants, without))))
    return known
  }
}

const RELATED = new WeakMap<readonly Grant[], Projection>()

/** True if the grants allow included items, which reveal the column that links them to the including item. */
function areShown(
  { isList, relatedColumn }: RelationTo<Projectable>,
  grants: readonly Grant[]
): boolean {
  let related = RELATED.get(grants)
  if (!related) RELATED.set(grants, (related = new Projection(grants, new Set())))
  const { column } = relatedColumn
  const tie = 'apiName' in column ? (column.apiName as string) : undefined
  if (tie !== undefined && related.hidden.has(tie)) return false
  return related.permits('read') && (!isList || related.permits('read_multi'))
}

function isWhole(grants: readonly Grant[]): boolean {
  return grants.some(
    ({ hidden, operations, readonly, scopes, transitions = 'all' }) =>
      operations === 'all' &&
      transitions === 'all' &&
      hidden.size === 0 &&
      readonly.size === 0 &&
      scopes === null
  )
}

function transitionsIn({ transitions }: Grant) {
  return transitions === undefined || transitions === 'all'
    ? (transitions ?? null)
    : [...transitions].toSorted()
}

const FINGERPRINTS = new WeakMap<readonly Grant[], string>()
const SCOPES = new WeakMap<Scope, number>()
let scopes = 0

/** Returns a text that is equal for grants with the same permissions and the same scopes. */
function fingerprintOf(grants: readonly Grant[]): string {
  let known = FINGERPRINTS.get(grants)
  if (known === undefined) {
    known = JSON.stringify(
      grants.map((grant) => [
        grant.operations === 'all' ? 'all' : [...grant.operations].toSorted(),
        transitionsIn(grant),
        [...grant.hidden].toSorted(),
        [...grant.readonly].toSorted(),
        grant.scopes && grant.scopes.map(numberOf),
      ])
    )
    FINGERPRINTS.set(grants, known)
  }
  return known
}

function numberOf(scope: Scope): number {
  let number = SCOPES.get(scope)
  if (number === undefined) SCOPES.set(scope, (number = ++scopes))
  return number
}
