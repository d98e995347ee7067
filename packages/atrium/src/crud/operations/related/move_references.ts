import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { connectionOf } from '#base/database/connection_of'
import { dialectOf } from '#base/database/dialects'
import type { Column } from '#base/columns/column'
import { identityOf, type KeyValue } from '#base/columns/key'
import { stillReferredTo } from '#base/http/problems'
import { pivotRelationsOf } from '#base/lucid/pivot_relation'
import { incomingReferences } from '../../resource/incoming_references.js'
import type { Resource } from '../../resource/resource.js'
import { movePivotRows, type MergedRecords } from './move_pivots.js'

/** A column whose values refer to records of a model. */
export interface ReferringColumn {
  resource: Resource
  column: Column
  /** Column of the model that the values are those of */
  target: Column
}

/** Foreign keys that are not columns of a known model, or that have several columns. */
interface OtherReference {
  table: string
  columns: string[]
  references: string[]
}

interface MoveOptions {
  client: TransactionClientContract
  /** All known resources */
  resources: readonly Resource[]
  /** Writes a new value to a column of records that refer to a merged one */
  move: (column: ReferringColumn, keys: readonly KeyValue[], value: unknown) => Promise<void>
}

/**
 * Makes all records that refer to merged records refer to the target, and moves pivot rows. [G7]
 *
 * @returns a function to be called after the target is written: see `movePivotRows`
 * @throws Problem 409  if rows of a table without a model refer to a record that would be deleted
 */
export async function moveReferences(
  resource: Resource,
  merged: MergedRecords,
  { client, move, resources }: MoveOptions
): Promise<() => Promise<void>> {
  const { columns, others } = await referringColumns(resource, resources, client)
  const rows = merged.others.map((record) => rowOf(resource, record))
  for (const one of others) {
    if (await isReferredFrom(one, rows, client)) throw stillReferredTo()
  }
  const notePivots = await movePivotRows(resource, merged, client, resources)
  for (const one of columns) {
    const valueIn = (record: LucidRow) => record.$attributes[one.target.attribute]
    const keys = await referringKeys(one, merged.others.map(valueIn), client)
    const own = keys.filter((key) => isTarget(resource, one, key, merged))
    const left = keys.filter((key) => !own.includes(key))
    if (left.length > 0) await move(one, left, valueIn(merged.target))
    if (own.length > 0) await move(one, own, null)
  }
  return notePivots
}

/** True for the key of the target, which must not refer to itself. */
function isTarget(
  { base }: Resource,
  { resource }: ReferringColumn,
  key: KeyValue,
  { target }: MergedRecords
): boolean {
  return resource.base === base.base && identityOf(base.key.of(target)) === identityOf(key)
}

function rowOf({ base }: Resource, record: LucidRow): Record<string, unknown> {
  return Object.fromEntries(
    base.columns.all.map(({ attribute, name }) => [name, record.$attributes[attribute]])
  )
}

/**
 * Returns the columns that refer to a model: by `belongsTo` relations, and by foreign keys of the database. [G7]
 *
 * @param resources  the known resources
 * @returns `others`: foreign keys that no column of a known model and no pivot table has
 */
async function referringColumns(
  resource: Resource,
  resources: Iterable<Resource>,
  client: QueryClientContract
): Promise<{ columns: ReferringColumn[]; others: OtherReference[] }> {
  const { base } = resource
  const known = [...resources].filter(
    ({ model }) => connectionOf(model) === connectionOf(base.model)
  )
  const columns: ReferringColumn[] = []
  const add = (one: Resource, column: Column | undefined, target: Column | undefined) => {
    if (!column || !target) return false
    const isKnown = columns.some((other) => other.resource === one && other.column === column)
    if (!isKnown) columns.push({ resource: one, column, target })
    return true
  }
  for (const one of known) {
    for (const relation of one.model.$relationsDefinitions.values()) {
      if (relation.type !== 'belongsTo') continue
      relation.boot()
      if (relation.relatedModel() !== base.model) continue
      add(one, one.columns.find(relation.foreignKey), base.columns.find(relation.localKey))
    }
  }
  const pivots = new Set(
    [base, ...known].flatMap(({ model }) => pivotRelationsOf(model).map(({ table }) => table))
  )
  const others: OtherReference[] = []
  for (const reference of await incomingReferences(base, client)) {
    const owner = known.find(({ table }) => table.split('.').at(-1) === reference.table)
    const [name] = reference.columns
    const isSingle = reference.columns.length === 1
    const column = owner?.columns.all.find((one) => one.name === name)
    const target = base.columns.all.find((one) => one.name === reference.references[0])
    if (isSingle && owner && add(owner, column, target)) continue
    if (!pivots.has(reference.table)) others.push(reference)
  }
  return { columns, others }
}

/** Returns the keys of the rows whose column has any of the values. Scopes and soft deletion do not apply. */
async function referringKeys(
  { column, resource }: ReferringColumn,
  values: readonly unknown[],
  client: QueryClientContract
): Promise<KeyValue[]> {
  const { base } = resource
  const where = [dialectOf(client).compareList(base.table, column, values, false)]
  const { key, reader } = base
  const rows = await reader.statements.rows(client, { where }, key.columns)
  return rows.map((row) => key.ofRow(row))
}

/** True if a row of a table without a known model refers to a record. */
async function isReferredFrom(
  { columns, references, table }: OtherReference,
  rows: ReadonlyArray<Record<string, unknown>>,
  client: QueryClientContract
): Promise<boolean> {
  for (const row of rows) {
    const query = client.query().from(table)
    columns.forEach((name, index) => query.where(name, row[references[index]] as any))
    if (await query.first()) return true
  }
  return false
}
