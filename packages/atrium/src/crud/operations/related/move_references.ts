import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { connectionNameOf } from '#base/database/with_connection'
import type { Column } from '#base/columns/column'
import { identityOf, type KeyValue } from '#base/columns/key'
import { stillReferredTo } from '#base/http/problems'
import { pivotRelationsOf, type PivotRelation } from '#base/lucid/pivot_relation'
import { incomingReferences } from '../../resource/incoming_references.js'
import type { Resource } from '../../resource/resource.js'
import type { CallOptions } from '../call_options.js'
import { pivotTableOf } from '#base/database/pivot_table'
import { Pivots } from '../../events/pivots.js'
import { currentActor } from '#base/actor'
import { dialectOf } from '#base/database/dialects'
import { forbidden } from '#base/http/access_problems'
import { Records } from '../records.js'
import { unwritableFields } from '../writes/written_fields.js'

/** Columns of a pivot table: with the keys of the merged model's records, and of the records attached to them. */
interface Side {
  table: string
  own: string
  other: string
  /** Attribute of the merged model whose values `own` contains */
  attribute: string
  /** API names of the relations that use the rows */
  names: string[]
}

type Options = CallOptions & { client: TransactionClientContract }

/** The records of a merge: the others are merged into the target, and deleted. */
interface MergedRecords {
  target: LucidRow
  others: readonly LucidRow[]
}

/**
 * Attaches the records that are attached to merged records to the target; a record that is attached to several merged
 * records is attached once. The changes are part of the writes of the merged records.
 *
 * @param resources  all known resources, whose many-to-many relations can use other pivot tables
 * @returns a function that adds the changes of the target's relations to its write; to be called after the target's
 *   columns are written, because an earlier write would contain the previous row
 * @throws UnknownKey, Problem 403  for a record or a relation that the actor cannot change
 */
async function movePivotRows(
  resource: Resource,
  { target, others }: MergedRecords,
  resources: Iterable<Resource>,
  options: Options
): Promise<() => Promise<void>> {
  const { client } = options
  const all = [target, ...others]
  for (const record of all) record.useTransaction(client)
  const [ofTarget, ...ofOthers] = await pivotsOf(resource, all)
  const sides = new Map<string, Side>()
  for (const relation of pivotRelationsOf(resource.model)) addSide(sides, relation, [0, 1])
  const owned = [...sides.values()]
  for (const side of owned) {
    const isMoved = await moveRows(side, target, others, client)
    if (!isMoved) continue
    await changeableRecords(resource, [resource.base.key.of(target)], side.names, client, options)
  }
  for (const pivots of ofOthers) await pivots?.note(client)
  for (const one of resources) {
    for (const relation of pivotRelationsOf(one.model)) {
      if (relation.relatedModel !== resource.model) continue
      const before = sides.size
      const side = addSide(sides, relation, [1, 0])
      if (sides.size > before) await moveForeign(side, one, relation, { target, others }, options)
    }
  }
  return async () => await ofTarget?.note(client)
}

/** Reads one record after the other, because a transaction has one connection. */
async function pivotsOf({ base }: Resource, records: readonly LucidRow[]) {
  const found: Array<Pivots | undefined> = []
  for (const record of records) found.push(await Pivots.of(base, record))
  return found
}

function addSide(
  sides: Map<string, Side>,
  { attributes, name, pair, table }: PivotRelation,
  [own, other]: readonly [0 | 1, 0 | 1]
): Side {
  const id = JSON.stringify([table, pair[own]])
  const side = { table, own: pair[own], other: pair[other], attribute: attributes[own], names: [] }
  if (!sides.has(id)) sides.set(id, side)
  const known = sides.get(id)!
  known.names.push(name)
  return known
}

/**
 * Moves the rows of relations that only another model declares. The changes are part of the writes of that model's
 * records.
 */
async function moveForeign(
  side: Side,
  resource: Resource,
  relation: PivotRelation,
  { target, others }: MergedRecords,
  options: Options
): Promise<void> {
  const { client } = options
  const table = await pivotTableOf(client, side.table)
  const rows = await table.rows(client, { [side.own]: valuesOf(side, others) })
  const values = [...new Set(rows.map((row) => row[side.other]))]
  if (values.length === 0) return
  const column = resource.columns.all.find(({ attribute }) => attribute === relation.attributes[0])!
  const keys = await referringKeys(resource, column, values, client)
  const attached = await changeableRecords(resource, keys, [relation.name], client, options)
  for (const record of attached) record.useTransaction(client)
  const pivots = await pivotsOf(resource, attached)
  await moveRows(side, target, others, client)
  for (const one of pivots) await one?.note(client)
}

/**
 * Moves the pivot rows of the other records to the target.
 *
 * @returns true if there are rows to move
 */
async function moveRows(
  side: Side,
  target: LucidRow,
  others: readonly LucidRow[],
  client: TransactionClientContract
): Promise<boolean> {
  const table = await pivotTableOf(client, side.table)
  const [key] = valuesOf(side, [target])
  const attached = await table.rows(client, { [side.own]: [key] }, { lock: true })
  const known = new Set(attached.map((row) => String(row[side.other])))
  const rows = await table.rows(client, { [side.own]: valuesOf(side, others) }, { lock: true })
  for (const row of rows) {
    const query = client
      .query()
      .from(side.table)
      .where(side.own, row[side.own] as any)
      .where(side.other, row[side.other] as any)
    const id = String(row[side.other])
    if (known.has(id)) await query.delete()
    else await query.update({ [side.own]: key })
    known.add(id)
  }
  return rows.length > 0
}

function valuesOf({ attribute }: Side, records: readonly LucidRow[]): unknown[] {
  return records.map((record) => (record as unknown as Record<string, unknown>)[attribute])
}

/** A column whose values refer to records of a model. */
interface ReferringColumn {
  resource: Resource
  column: Column
  /** Column of the model that the values refer to */
  target: Column
}

/** Foreign keys that are not columns of a known model, or that have several columns. */
interface OtherReference {
  table: string
  columns: string[]
  references: string[]
}

interface MoveOptions extends CallOptions {
  client: TransactionClientContract
  /** All known resources */
  resources: readonly Resource[]
  /** Writes a new value to a column of locked records that refer to a merged one */
  move: (column: ReferringColumn, records: readonly LucidRow[], value: unknown) => Promise<void>
}

/**
 * Makes all records that refer to merged records refer to the target, and moves pivot rows. The actor must be allowed
 * to change all of these records.
 *
 * @returns a function to be called after the target is written: see `movePivotRows`
 * @throws Problem 409  if rows of a table without a model refer to a record that would be deleted
 * @throws UnknownKey   for a record that the actor cannot see
 * @throws Problem 403  for a record or a reference that the actor cannot change
 */
export async function moveReferences(
  resource: Resource,
  merged: MergedRecords,
  { move, resources, ...options }: MoveOptions
): Promise<() => Promise<void>> {
  const { client } = options
  const { columns, others } = await referringColumns(resource, resources, client)
  const rows = merged.others.map((record) => rowOf(resource, record))
  for (const one of others) {
    if (await isReferredFrom(one, rows, client)) throw stillReferredTo()
  }
  const notePivots = await movePivotRows(resource, merged, resources, options)
  for (const one of columns) {
    const valueIn = (record: LucidRow) => record.$attributes[one.target.attribute]
    const keys = await referringKeys(one.resource, one.column, merged.others.map(valueIn), client)
    if (keys.length === 0) continue
    const names = [one.column.apiName]
    const found = await changeableRecords(one.resource, keys, names, client, options)
    const own = found.filter((record) => isTarget(resource, one, record, merged))
    const left = found.filter((record) => !own.includes(record))
    if (left.length > 0) await move(one, left, valueIn(merged.target))
    if (own.length > 0) await move(one, own, null)
  }
  return notePivots
}

/** True for the target itself, whose reference is emptied because the target must not refer to itself. */
function isTarget(
  { base }: Resource,
  { resource }: ReferringColumn,
  record: LucidRow,
  { target }: MergedRecords
): boolean {
  const { key } = base
  return resource.base === base.base && identityOf(key.of(target)) === identityOf(key.of(record))
}

function rowOf({ base }: Resource, record: LucidRow): Record<string, unknown> {
  return Object.fromEntries(
    base.columns.all.map(({ attribute, name }) => [name, record.$attributes[attribute]])
  )
}

/**
 * Returns the columns that refer to a model: by `belongsTo` relations, and by foreign keys of the database.
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
    ({ model }) => connectionNameOf(model) === connectionNameOf(base.model)
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

/**
 * Returns the keys of the rows whose column has any of the values. Scopes, hooks and soft deletion do not apply.
 */
async function referringKeys(
  { base }: Resource,
  column: Column,
  values: readonly unknown[],
  client: TransactionClientContract
): Promise<KeyValue[]> {
  const where = [dialectOf(client).compareList(base.table, column, values, false)]
  const { key, reader } = base
  const rows = await reader.statements.rows(client, { where }, key.columns)
  return rows.map((row) => key.ofRow(row))
}

/**
 * Locks records, deleted or not, of which the actor is allowed to change some fields.
 *
 * @param names  API names of the fields
 * @throws UnknownKey   for the first record that the actor cannot see
 * @throws Problem 403  for a record or a field that the actor cannot change
 */
async function changeableRecords(
  { base }: Resource,
  keys: readonly KeyValue[],
  names: readonly string[],
  client: TransactionClientContract,
  { actor = currentActor(), ...others }: CallOptions
): Promise<LucidRow[]> {
  const resource = await base.for(actor, client)
  const records = new Records(resource)
  const options = { ...others, actor, client }
  if (!resource.permits('read') || !resource.permits('update')) throw forbidden()
  const found = await records.locateMany(keys, client, { ...options, deleted: 'include' }, true)
  await records.authorizeReach('update', found, client, options)
  const { projection } = resource
  const each = (projection ? names : [])
    .filter((name) => projection!.writing('update', name) !== 'all' || projection!.mixed.has(name))
    .map((apiName) => ({ apiName }))
  for (const record of found) {
    await records.authorize('read', options, record)
    await records.authorize('update', options, record)
    const refused = await unwritableFields(resource, 'update', each, record, client, options)
    if (refused.length > 0) throw forbidden()
  }
  return found
}
