import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { connectionOf } from '#base/database/connection_of'
import { pivotTableOf } from '#base/database/pivot_table'
import type { IncomingReference } from '../resource/incoming_references.js'
import { pivotRelationsOf } from '#base/lucid/pivot_relation'
import { knownResources, type Resource } from '../resource/resource.js'
import { pivotChange, type PivotChange } from '#base/database/pivot_change'
import { loggedValue } from './pivots.js'
import type { Write } from './write.js'

type Row = Record<string, unknown>

/**
 * Returns the rows of a pivot table that the database deletes with a record, regardless of which model declares the
 * relation.
 *
 * @param limit  maximum number of rows to read
 * @returns null for another table
 */
export async function causedPivots(
  { model }: Resource,
  reference: IncomingReference,
  row: Row,
  client: QueryClientContract,
  limit: number
): Promise<PivotChange | null> {
  const pivot = reference.onDelete === 'cascade' && pivotOf(model, reference)
  if (!pivot) return null
  const [name] = reference.references
  const table = await pivotTableOf(client, pivot.table)
  const rows = await table.rows(client, { [pivot.pair[0]]: [row[name]] }, { limit, lock: true })
  return pivotChange(pivot, rows, [])
}

/** Adds pivot rows that the database deletes with a record to the write of that record. */
export async function addCausedPivots(
  write: Write,
  pivots: readonly PivotChange[],
  client: QueryClientContract
): Promise<void> {
  write.pivots.push(...pivots)
  for (const relation of pivotRelationsOf(write.model)) {
    const change = pivots.find(
      ({ table, pair }) => table === relation.table && pair[0] === relation.pair[0]
    )
    if (!change) continue
    const table = await pivotTableOf(client, relation.table)
    const old = loggedValue(relation, { table, rows: change.removed })
    write.addChanges({ [relation.name]: { old, new: [] } })
  }
}

/** Returns the pivot table of a foreign key, with the referring column first. */
function pivotOf(
  model: Resource['model'],
  { table, columns }: IncomingReference
): Pick<PivotChange, 'table' | 'pair'> | undefined {
  if (columns.length !== 1) return undefined
  const near = knownResources
    .all()
    .filter((one) => connectionOf(one.model) === connectionOf(model))
    .flatMap((one) => pivotRelationsOf(one.model))
  for (const relation of near) {
    if (relation.table.split('.').at(-1) !== table) continue
    const [own, other] = relation.pair
    if (columns[0] === own) return { table: relation.table, pair: [own, other] }
    if (columns[0] === other) return { table: relation.table, pair: [other, own] }
  }
  return undefined
}
