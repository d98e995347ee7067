import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import db from '@adonisjs/lucid/services/db'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '../actor.js'
import { connectionOf } from '../database/connection_of.js'
import { crudOptionsOf } from '../decorator.js'
import { missingReference } from '../http/problems.js'
import type { CallOptions } from '../lucid_crud.js'
import type { Condition } from '../request/condition.js'
import { Records } from './records.js'
import type { Column } from '../resource/column.js'
import { knownResource, resourcesOfTable } from '../resource/known_resources.js'
import { Resource } from '../resource/resource.js'

/**
 * What a record refers to by one column or several, where not everybody may see all of it.
 */
interface GuardedReference {
  /** Of the record, and of the other one in the same order */
  columns: readonly Column[]
  references: readonly string[]
  /** The models of the other table that have a policy or a scope */
  targets: readonly Resource[]
}

/**
 * Looks at what the record refers to, as it is going to be stored: whoever writes must be able to see
 * it. What they can't see is answered like what there is not, so that nobody learns which. References
 * that stay as they are stored, and those that a model hook sets afterwards, are not looked at. [P14]
 *
 * @param client  the transaction's
 * @throws Problem 409  with every such field
 */
export async function checkReferences(
  resource: Resource,
  record: LucidRow,
  client: QueryClientContract,
  options: CallOptions
): Promise<void> {
  if ((options.actor ?? currentActor()).kind === 'system') return
  const missing: Column[] = []
  for (const reference of guardedReferences(resource)) {
    const values = reference.columns.map(({ attribute }) => record.$attributes[attribute])
    /* A database looks at no reference of which a part is missing. */
    if (values.some((value) => value === null || value === undefined)) continue
    if (!reference.columns.some((column) => isChanged(record, column))) continue
    if (!(await isSeen(reference, values, client, options))) missing.push(...reference.columns)
  }
  if (missing.length > 0) throw missingReference([...new Set(missing)].map(({ wire }) => wire))
}

/** Drivers give the same number as text, too. */
function isChanged({ $isPersisted, $attributes, $original }: LucidRow, { attribute }: Column) {
  return !$isPersisted || String($original[attribute]) !== String($attributes[attribute])
}

/** Through one of the models is enough, if a table has several. */
async function isSeen(
  { references, targets }: GuardedReference,
  values: readonly unknown[],
  client: QueryClientContract,
  options: CallOptions
): Promise<boolean> {
  for (const target of targets) {
    const reader = clientOf(target, client)
    await target.load(reader)
    const conditions = references.map((name, index): Condition => {
      const column = target.columns.all.find((one) => one.name === name)!
      return { type: 'compare', column, operator: 'eq', value: values[index] }
    })
    const records = new Records(target)
    const narrow = records.byConditions({ conditions, deleted: 'include' }, reader, options)
    const found = await target.reader.record(reader, narrow)
    if (found && (await records.allows('read', options, found))) return true
  }
  return false
}

function guardedReferences(resource: Resource): GuardedReference[] {
  const declared = [...declaredReferences(resource)]
  const known = new Set(declared.map(({ columns }) => columns[0]))
  const constrained = resource.foreignKeys.flatMap(({ columns: names, table, references }) => {
    const columns = names.flatMap((name) => resource.columns.all.find((one) => one.name === name)!)
    const isKnown = columns.length === 1 && known.has(columns[0])
    return isKnown || columns.includes(undefined!)
      ? []
      : [{ columns, references, targets: guardsOf(resource, table, references) }]
  })
  return [...declared, ...constrained].filter(({ targets }) => targets.length > 0)
}

/** The model's own belongs-to relations; the related model counts before others of its table. */
function* declaredReferences(resource: Resource): Iterable<GuardedReference> {
  for (const relation of resource.model.$relationsDefinitions.values()) {
    if (relation.type !== 'belongsTo') continue
    relation.boot()
    const related = knownResource(relation.relatedModel(), make)
    const column = resource.columns.all.find(({ attribute }) => attribute === relation.foreignKey)
    const target = related.columns.all.find(({ attribute }) => attribute === relation.localKey)
    if (!column || !target) continue
    const references = [target.name]
    const targets = isGuarded(related) ? [related] : guardsOf(resource, related.table, references)
    yield { columns: [column], references, targets }
  }
}

function guardsOf({ model }: Resource, table: string, references: readonly string[]): Resource[] {
  return resourcesOfTable(table).filter(
    (one) =>
      isGuarded(one) &&
      connectionOf(one.model) === connectionOf(model) &&
      references.every((name) => one.columns.all.some((column) => column.name === name))
  )
}

function isGuarded({ policy, scope }: Resource): boolean {
  return policy !== undefined || scope !== undefined
}

function make(model: LucidModel): Resource {
  return new Resource({ ...crudOptionsOf(model), model })
}

/** The transaction's, unless the other model lives in another database. */
function clientOf({ model }: Resource, client: QueryClientContract): QueryClientContract {
  const { connection } = model
  const isElsewhere = connection !== undefined && connection !== client.connectionName
  return isElsewhere && db.manager.has(connection) ? db.connection(connection) : client
}
