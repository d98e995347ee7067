import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import db from '@adonisjs/lucid/services/db'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '#base/actor'
import { missingReference } from '#base/http/problems'
import type { CallOptions } from '../call_options.js'
import type { Condition } from '#base/columns/condition'
import { Records } from '../records.js'
import type { Column } from '#base/columns/column'
import { isExcludedFromInclude } from '../../resource/included_relation.js'
import { permissions } from '../../resource/permissions.js'
import { type Resource, knownResources } from '../../resource/resource.js'
import type { Actor } from '../../types.js'
import { connectionNameOf } from '#base/database/with_connection'

/** A reference of a record, by one or more columns, to models with a policy or a scope. */
interface GuardedReference {
  /** Columns of the record; `references` are the columns of the other table, in the same order */
  columns: readonly Column[]
  references: readonly string[]
  /** The models of the other table that have a policy or a scope */
  targets: readonly Resource[]
}

interface Resolved {
  /** Value of `knownResources.changes` when the references were computed */
  changes: number
  references: readonly GuardedReference[]
}

const RESOLVED = new WeakMap<Resource, Resolved>()

/**
 * Returns the references of a model's records to records with a policy or a scope: through its belongs-to relations and
 * the foreign keys of the table. Computed again only when the known resources change.
 */
function guardedReferencesOf(resource: Resource): readonly GuardedReference[] {
  const known = RESOLVED.get(resource)
  if (known?.changes === knownResources.changes) return known.references
  const references = referencesGuardedBy(resource, isGuarded)
  /* Foreign keys are known only after the table is loaded. */
  if (resource.isLoaded) RESOLVED.set(resource, { changes: knownResources.changes, references })
  return references
}

/** Returns the references to models for which the given function returns true. */
function referencesGuardedBy(
  resource: Resource,
  isGuard: (target: Resource) => boolean
): GuardedReference[] {
  const guardsOf = (table: string, references: readonly string[]) =>
    targetsOf(resource, table, references).filter(isGuard)
  const declared = [...declaredReferences(resource)].map(({ column, related, target }) => {
    const references = [target]
    const targets = isGuard(related) ? [related] : guardsOf(related.table, references)
    return { columns: [column], references, targets }
  })
  const known = new Set(declared.map(({ columns }) => columns[0]))
  const constrained = resource.foreignKeys.flatMap(({ columns: names, table, references }) => {
    const columns = names.flatMap((name) => resource.columns.all.find((one) => one.name === name)!)
    const isKnown = columns.length === 1 && known.has(columns[0])
    return isKnown || columns.includes(undefined!)
      ? []
      : [{ columns, references, targets: guardsOf(table, references) }]
  })
  return [...declared, ...constrained].filter(({ targets }) => targets.length > 0)
}

/** Yields the belongs-to relations of the model; the related model comes before other models of the same table. */
function* declaredReferences(
  resource: Resource
): Iterable<{ column: Column; related: Resource; target: string }> {
  for (const relation of resource.model.$relationsDefinitions.values()) {
    if (relation.type !== 'belongsTo') continue
    relation.boot()
    const related = knownResources.of(relation.relatedModel())
    const column = resource.columns.all.find(({ attribute }) => attribute === relation.foreignKey)
    const target = related.columns.all.find(({ attribute }) => attribute === relation.localKey)
    if (!column || !target) continue
    yield { column, related, target: target.name }
  }
}

/** Returns the models to which records of a model can refer. */
function referredTo(resource: Resource): ReadonlySet<Resource> {
  const constrained = resource.foreignKeys.flatMap(({ table }) => knownResources.ofTable(table))
  const declared = [...declaredReferences(resource)].map(({ related }) => related)
  const others = declared.flatMap(({ table }) => knownResources.ofTable(table))
  return new Set([...declared, ...others, ...constrained])
}

function targetsOf({ model }: Resource, table: string, references: readonly string[]): Resource[] {
  return knownResources
    .ofTable(table)
    .filter(
      (one) =>
        connectionNameOf(one.model) === connectionNameOf(model) &&
        references.every((name) => one.columns.all.some((column) => column.name === name))
    )
}

/** True if a policy or a scope restricts the model's records. */
function isGuarded({ policy, scope }: Resource): boolean {
  return policy !== undefined || scope !== undefined
}

/**
 * Checks that the writer can see every record that the new record refers to. A record outside the writer's scope is
 * handled like a missing one, so that callers cannot tell them apart. Unchanged references, and those that a model hook
 * sets later, are not checked.
 *
 * @param client  client of the write's transaction
 * @throws Problem 409  with all fields that refer to such a record
 */
export async function checkReferences(
  resource: Resource,
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<void> {
  const actor = options.actor ?? currentActor()
  if (actor.kind === 'system') return
  const missing: Column[] = []
  for (const reference of await referencesFor(actor, resource, client)) {
    const values = reference.columns.map(({ attribute }) => record.$attributes[attribute])
    /* A database ignores a reference with a missing part. */
    if (values.some((value) => value === null || value === undefined)) continue
    if (!reference.columns.some((column) => isChanged(record, column))) continue
    if (!(await isSeen(reference, values, client, options))) missing.push(...reference.columns)
  }
  if (missing.length > 0)
    throw missingReference([...new Set(missing)].map(({ apiName }) => apiName))
}

/** True if the references of a new record must be checked, because the writer might not see every referenced record. */
export async function checksReferences(
  resource: Resource,
  client: QueryClientContract,
  { actor = currentActor() }: CallOptions
): Promise<boolean> {
  if (actor.kind === 'system') return false
  const guarded = await referencesFor(actor, resource, client)
  return guarded.length > 0
}

/** Returns the references to check for an actor. Roles can hide records from an actor that other users can see. */
async function referencesFor(
  actor: Actor,
  resource: Resource,
  client: QueryClientContract
): Promise<readonly GuardedReference[]> {
  if (!permissions()) return guardedReferencesOf(resource)
  const restricted = new Set<Resource>()
  for (const one of referredTo(resource)) {
    if ((await asSeen(one, actor, clientOf(one, client))) !== one) restricted.add(one)
  }
  return restricted.size === 0
    ? guardedReferencesOf(resource)
    : referencesGuardedBy(resource, (one) => restricted.has(one) || isGuarded(one))
}

/**
 * Returns the resource as restricted by the actor's roles. Models of the admin site remain unrestricted: application
 * code stores the user who wrote a record, although roles cannot grant access to users.
 */
async function asSeen(resource: Resource, actor: Actor, client: QueryClientContract) {
  return isExcludedFromInclude(resource.model) ? resource : await resource.for(actor, client)
}

/** True if a value was changed. Compares texts, because drivers can return the same number as text. */
function isChanged({ $isPersisted, $attributes, $original }: LucidRow, { attribute }: Column) {
  return !$isPersisted || String($original[attribute]) !== String($attributes[attribute])
}

/** True if the actor can see the referenced record. If the table has several models, one that shows it is enough. */
async function isSeen(
  { references, targets }: GuardedReference,
  values: readonly unknown[],
  client: QueryClientContract,
  options: CallOptions
): Promise<boolean> {
  for (const target of targets) {
    const reader = clientOf(target, client)
    await target.load(reader)
    const seen = await asSeen(target, options.actor ?? currentActor(), reader)
    if (!seen.permits('read')) continue
    if (!seen.scope && !seen.policy) return true
    const conditions = references.map((name, index): Condition => {
      const column = target.columns.all.find((one) => one.name === name)!
      return { type: 'compare', column, operator: 'eq', value: values[index] }
    })
    const records = new Records(seen)
    const narrow = records.byConditions({ conditions, deleted: 'include' }, reader, options)
    const found = await seen.reader.record(reader, narrow)
    if (found && (await records.allows('read', options, found))) return true
  }
  return false
}

/** Returns the transaction's client, unless the other model is in another database. */
function clientOf({ model }: Resource, client: QueryClientContract): QueryClientContract {
  const { connection } = model
  const isElsewhere = connection !== undefined && connection !== client.connectionName
  return isElsewhere && db.manager.has(connection) ? db.connection(connection) : client
}
