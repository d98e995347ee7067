import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { pivotTableOf } from '#base/database/pivot_table'
import { pivotRelationsOf, type PivotRelation } from '#base/lucid/pivot_relation'
import { Pivots } from '../../events/pivots.js'
import type { Resource } from '../../resource/resource.js'
import type { CallOptions } from '../call_options.js'
import { changeableRecords, referringKeys } from './referrers.js'

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
export interface MergedRecords {
  target: LucidRow
  others: readonly LucidRow[]
}

/**
 * Attaches the records that are attached to merged records to the target; a record that is attached to several
 * of them is attached once. The changes are part of the writes of the merged records.
 *
 * @param resources  all known resources, whose many-to-many relations can use other pivot tables
 * @returns a function that adds the changes of the target's relations to its write; to be called after its columns
 *   are written, because a write has the row as it was before
 * @throws UnknownKey, Problem 403  for a record or a relation that the actor cannot change
 */
export async function movePivotRows(
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

/** Moves the rows of relations that only the other model declares; its records have the changes. */
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

/** @returns true if there are rows to move */
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
