import type { Scope, GrantedOperation } from '#crud'
import type { Grant } from '#crud/internals'
import { ALL, entryOf, type ModelPermissions, type PermissionsDocument } from './document.js'

/** Engine operations of each action; actions without one are decided here alone. [U2, B14] */
const OPERATIONS: Readonly<Record<string, readonly GrantedOperation[]>> = {
  view: ['read', 'read_multi'],
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
  purge: ['db_delete'],
  restore: ['restore'],
}

/** The scopes of a model by name; a name that it has not is not a scope. */
export type ScopesOf = (model: string) => Readonly<Record<string, Scope>> | undefined

/** Permissions on a model, of all roles together. */
export interface OnModel {
  /** One for each role that allows anything, without those that another one covers */
  readonly grants: readonly Grant[]
  readonly actions: ReadonlySet<string> | 'all'
  /**
   * On which records: any of the scopes reaches a record; null: all of them, `[]`: none
   */
  scopesFor(action: string): readonly Scope[] | null
}

interface Entry {
  actions: ReadonlySet<string> | 'all'
  scopes: readonly Scope[] | null
}

/**
 * Permissions of several roles together, compiled once for each model. [U2, U3]
 */
export class CompiledPermissions {
  readonly #models = new Map<string, OnModel>()

  constructor(
    readonly documents: readonly PermissionsDocument[],
    private readonly scopesOf: ScopesOf
  ) {}

  on(model: string): OnModel {
    let found = this.#models.get(model)
    if (!found) this.#models.set(model, (found = this.#compile(model)))
    return found
  }

  /**
   * Returns true if a role allows the action on a model that it names; what it says of all others does not count.
   */
  names(model: string, action: string): boolean {
    return this.documents.some((document) => {
      const entry = Object.hasOwn(document, model) ? document[model] : undefined
      return entry?.actions.some((one) => one === action || one === ALL) ?? false
    })
  }

  #compile(model: string): OnModel {
    const own = this.scopesOf(model) ?? {}
    const said = this.documents.flatMap((document) => entryOf(document, model) ?? [])
    const entries = said.map((entry) => compiledEntry(entry, own))
    const grants = said.flatMap((entry, index) => grantOf(entry, entries[index]) ?? [])
    return {
      grants: withoutCovered(grants),
      actions: entries.some(({ actions }) => actions === 'all')
        ? 'all'
        : new Set(entries.flatMap(({ actions }) => [...(actions as ReadonlySet<string>)])),
      scopesFor: (action) => {
        const allowing = entries.filter(({ actions }) => actions === 'all' || actions.has(action))
        if (allowing.some(({ scopes }) => scopes === null)) return null
        return [...new Set(allowing.flatMap(({ scopes }) => scopes!))]
      },
    }
  }
}

function compiledEntry({ actions, scopes }: ModelPermissions, own: Record<string, Scope>): Entry {
  return {
    actions: actions.includes(ALL) ? 'all' : new Set(actions),
    scopes: scopes ? scopes.flatMap((name) => (Object.hasOwn(own, name) ? own[name] : [])) : null,
  }
}

function grantOf(entry: ModelPermissions, { actions, scopes }: Entry): Grant | undefined {
  const operations =
    actions === 'all' ? actions : new Set([...actions].flatMap((name) => operationsOf(name)))
  if (operations !== 'all' && operations.size === 0) return undefined
  return {
    operations,
    hidden: new Set(entry.hidden),
    readonly: new Set(entry.readonly),
    scopes,
  }
}

function operationsOf(action: string): readonly GrantedOperation[] {
  return Object.hasOwn(OPERATIONS, action) ? OPERATIONS[action] : []
}

/** A grant that allows nothing which another one does not allow, too, only makes queries longer. */
function withoutCovered(grants: readonly Grant[]): Grant[] {
  return grants.filter(
    (one, index) =>
      !grants.some(
        (other, place) =>
          place !== index && covers(other, one) && (place < index || !covers(one, other))
      )
  )
}

function covers(one: Grant, other: Grant): boolean {
  const unwritable = new Set([...other.hidden, ...other.readonly])
  return (
    coversOperations(one, other) &&
    coversRecords(one, other) &&
    [...one.hidden].every((name) => other.hidden.has(name)) &&
    [...one.readonly].every((name) => unwritable.has(name))
  )
}

function coversOperations({ operations: one }: Grant, { operations: other }: Grant): boolean {
  if (one === 'all') return true
  return other !== 'all' && [...other].every((operation) => one.has(operation))
}

function coversRecords({ scopes: one }: Grant, { scopes: other }: Grant): boolean {
  if (one === null) return true
  return other !== null && other.every((scope) => one.includes(scope))
}
