import type { Column } from '#base/columns/column'
import type { GrantedOperation, Grant, Scope, GovernedModel, Permissions } from './permissions.js'
import { BoundedMap } from '#base/bounded_map'
import type { Actor } from '../types.js'
import type { ColumnSet } from '#base/columns/column_set'
import { isExcludedFromInclude, type RelationTo } from './included_relation.js'

/** Records on which a field is writable: all, none, or those that certain grants include. */
type Writing = 'all' | 'none' | 'some'

const WHOLE: readonly Grant[] = [
  { operations: 'all', hidden: new Set(), readonly: new Set(), scopes: null },
]

/** The union of grants on a model, record by record. */
export class Projection {
  /** API names of the fields hidden on all records */
  readonly hidden: ReadonlySet<string>
  /** Fields that are shown on some records only: API name -> scopes, any of which shows the field */
  readonly mixed: ReadonlyMap<string, readonly Scope[]>
  readonly #grants: readonly Grant[]

  /**
   * @param grants    null without restrictions other than excluded relations
   * @param includes  API names of relations that responses do not include
   */
  constructor(
    grants: readonly Grant[] | null,
    readonly withoutIncludes: ReadonlySet<string>
  ) {
    this.#grants = grants ?? WHOLE
    const reading = this.grantsFor('read')
    const considered = reading.length > 0 ? reading : this.#grants
    const names = new Set(considered.flatMap(({ hidden }) => [...hidden]))
    const hidden = new Set<string>()
    const mixed = new Map<string, readonly Scope[]>()
    for (const name of names) {
      const showing = considered.filter((grant) => !grant.hidden.has(name))
      const scopes = unionOf(showing)
      if (showing.length === 0) hidden.add(name)
      else if (!covers(scopes, this.reach('read'))) mixed.set(name, scopes!)
    }
    this.hidden = hidden
    this.mixed = mixed
  }

  /** True if a grant allows the operation on at least some records. */
  permits(operation: GrantedOperation): boolean {
    return this.grantsFor(operation).length > 0
  }

  grantsFor(operation: GrantedOperation): readonly Grant[] {
    return this.#grants.filter(
      ({ operations }) => operations === 'all' || operations.has(operation)
    )
  }

  /** Returns the grants for updates that include a transition. */
  grantsForTransition(name: string): readonly Grant[] {
    return this.grantsFor('update').filter(({ operations, transitions }) => {
      if (transitions === undefined) return operations === 'all'
      return transitions === 'all' || transitions.has(name)
    })
  }

  /** Returns the scopes of the grants for the operation: a record must be in any of them; null: all records. */
  reach(operation: GrantedOperation): readonly Scope[] | null {
    return unionOf(this.grantsFor(operation))
  }

  /** True if the grants for the operation include every readable record. */
  coversReadableRecords(operation: GrantedOperation): boolean {
    return covers(this.reach(operation), this.reach('read'))
  }

  /** True if the grants for the operation include exactly the readable records. */
  matchesReadableRecords(operation: GrantedOperation): boolean {
    return (
      this.coversReadableRecords(operation) && covers(this.reach('read'), this.reach(operation))
    )
  }

  /** Returns the records on which a field is writable. A field that is hidden on all records is not writable. */
  writing(operation: 'create' | 'update', name: string): Writing {
    if (this.hidden.has(name)) return 'none'
    const grants = this.grantsFor(operation)
    const writing = grants.filter((grant) => mayWrite(grant, name))
    if (writing.length === 0) return 'none'
    return covers(unionOf(writing), unionOf(grants)) ? 'all' : 'some'
  }

  /**
   * Returns whether the body accepts a field. A read-only field is accepted, because sending its stored value is not a
   * write.
   */
  offers(operation: 'create' | 'update', name: string): 'offered' | 'withheld' | 'unknown' {
    if (this.hidden.has(name)) return 'unknown'
    return this.writing(operation, name) === 'none' ? 'withheld' : 'offered'
  }

  /**
   * Returns the relations that remain in responses. A relation is removed if its linking column is hidden, because an
   * included item would reveal the value.
   */
  includesLeft<Include extends { column: Pick<Column, 'isPrimary' | 'apiName'> }>(
    includes: ReadonlyMap<string, Include>
  ): Map<string, Include> {
    return new Map(
      [...includes].filter(([name, { column }]) => {
        const isTied = column.isPrimary || !this.hidden.has(column.apiName)
        return isTied && !this.withoutIncludes.has(name) && !this.conceals(name)
      })
    )
  }

  /** True for a field that is hidden, on all records or on some. */
  conceals(name: string): boolean {
    return this.hidden.has(name) || this.mixed.has(name)
  }

  /**
   * Returns the columns that are shown on some records only. Keys identify records, so they are shown if any grant
   * shows them.
   */
  mixedColumns(columns: readonly Column[]): Map<Column, readonly Scope[]> {
    const found = new Map<Column, readonly Scope[]>()
    for (const column of columns) {
      const scopes = this.mixed.get(column.apiName)
      if (scopes && !column.isPrimary) found.set(column, scopes)
    }
    return found
  }
}

export function mayWrite({ hidden, readonly }: Grant, name: string): boolean {
  return !hidden.has(name) && !readonly.has(name)
}

/** Returns the combined scopes of several grants; null: all records. */
export function unionOf(grants: readonly Grant[]): readonly Scope[] | null {
  const scopes = new Set<Scope>()
  for (const grant of grants) {
    if (grant.scopes === null) return null
    for (const scope of grant.scopes) scopes.add(scope)
  }
  return [...scopes]
}

/** True if every record of the second list of scopes is also in the first; scopes are compared by identity. */
function covers(one: readonly Scope[] | null, other: readonly Scope[] | null): boolean {
  if (one === null) return true
  return other !== null && other.every((scope) => one.includes(scope))
}

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
      /* Not checked: the code that mounts the endpoints of such an include authorizes it. */
      if (isExcludedFromInclude(include.resource.model)) continue
      for (const { columns, resource } of include.links) {
        const given = await permissions.grantsOf(actor, resource)
        if (given !== null && !areShown(columns, include.isList, given)) without.add(name)
      }
    }
    if (without.size === 0 && (grants === null || isWhole(grants))) return this.resource

    const id = `${grants === null ? '' : fingerprintOf(grants)}/${JSON.stringify([...without])}`
    let known = this.#resources.get(id)
    if (!known) this.#resources.set(id, (known = this.project(new Projection(grants, without))))
    return known
  }
}

const RELATED = new WeakMap<readonly Grant[], Projection>()

/** True if the grants allow items to be included, which reveals the values of the columns that link them. */
function areShown(links: readonly Column[], isList: boolean, grants: readonly Grant[]): boolean {
  let related = RELATED.get(grants)
  if (!related) RELATED.set(grants, (related = new Projection(grants, new Set())))
  if (links.some(({ apiName }) => related.hidden.has(apiName))) return false
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
