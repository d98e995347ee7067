import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { pivotTableOf } from '#base/database/pivot_table'
import { pivotRelationsOf, type PivotRelation } from '#base/lucid/pivot_relation'
import { Pivots } from '../../events/pivots.js'
import type { Resource } from '../../resource/resource.js'

/** Columns of a pivot table: with the keys of the merged model's records, and of the records attached to them. */
interface Side {
  table: string
  own: string
  other: string
  /** Attribute of the merged model whose values `own` contains */
  attribute: string
}

/** The records of a merge: the others are merged into the target, and deleted. */
export interface MergedRecords {
  target: LucidRow
  others: readonly LucidRow[]
}

/**
 * Attaches the records that are attached to merged records to the target; a record that is attached to several
 * of them is attached once. The changes are part of the writes of the merged records. [G7]
 *
 * @param resources  all known resources, whose many-to-many relations can use other pivot tables
 * @returns a function that adds the changes of the target's relations to its write; to be called after its columns
 *   are written, because a write has the row as it was before
 */
export async function movePivotRows(
  resource: Resource,
  { target, others }: MergedRecords,
  client: TransactionClientContract,
  resources: Iterable<Resource>
): Promise<() => Promise<void>> {
  const all = [target, ...others]
  for (const record of all) record.useTransaction(client)
  const [ofTarget, ...ofOthers] = await pivotsOf(resource, all)
  const sides = new Map<string, Side>()
  for (const relation of pivotRelationsOf(resource.model)) addSide(sides, relation, [0, 1])
  const owned = [...sides.values()]
  for (const side of owned) await moveRows(side, target, others, client)
  for (const pivots of ofOthers) await pivots?.note(client)
  for (const one of resources) {
    for (const relation of pivotRelationsOf(one.model)) {
      if (relation.relatedModel !== resource.model) continue
      const before = sides.size
      const side = addSide(sides, relation, [1, 0])
      if (sides.size > before) await moveForeign(side, one, relation, { target, others }, client)
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
  { attributes, pair, table }: PivotRelation,
  [own, other]: readonly [0 | 1, 0 | 1]
): Side {
  const id = JSON.stringify([table, pair[own]])
  const side = { table, own: pair[own], other: pair[other], attribute: attributes[own] }
  if (!sides.has(id)) sides.set(id, side)
  return sides.get(id)!
}

/** Moves the rows of relations that only the other model declares; its records have the changes. */
async function moveForeign(
  side: Side,
  resource: Resource,
  relation: PivotRelation,
  { target, others }: MergedRecords,
  client: TransactionClientContract
): Promise<void> {
  const table = await pivotTableOf(client, side.table)
  const rows = await table.rows(client, { [side.own]: valuesOf(side, others) })
  const keys = [...new Set(rows.map((row) => row[side.other]))]
  if (keys.length === 0) return
  const attached: LucidRow[] = await resource.model
    .query({ client })
    .whereIn(relation.attributes[0], keys as any[])
  const pivots = await pivotsOf(resource, attached)
  await moveRows(side, target, others, client)
  for (const one of pivots) await one?.note(client)
}

async function moveRows(
  side: Side,
  target: LucidRow,
  others: readonly LucidRow[],
  client: TransactionClientContract
): Promise<void> {
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
}

function valuesOf({ attribute }: Side, records: readonly LucidRow[]): unknown[] {
  return records.map((record) => (record as unknown as Record<string, unknown>)[attribute])
}
