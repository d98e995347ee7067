import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { connectionNameOf } from '#base/database/with_connection'
import { dialectOf } from '#base/database/dialects'
import type { Column } from '#base/columns/column'
import { incomingReferences, type IncomingReference } from '../resource/incoming_references.js'
import { knownResources, type Resource } from '../resource/resource.js'
import { joined } from '#base/sql/sql'
import { type PivotChange, pivotChange } from '#base/database/pivot_change'
import { isWatched } from './observers.js'
import { Write, type WriteOrigin } from './write.js'
import { copyAttributes } from '#base/lucid/exact_attributes'
import { pivotTableOf } from '#base/database/pivot_table'
import { pivotRelationsOf } from '#base/lucid/pivot_relation'
import { loggedValue } from './pivots.js'

/**
 * Returns the rows of a pivot table that the database deletes with a record, regardless of which model declares the
 * relation.
 *
 * @param limit  maximum number of rows to read
 * @returns null for another table
 */
async function causedPivots(
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
    .filter((one) => connectionNameOf(one.model) === connectionNameOf(model))
    .flatMap((one) => pivotRelationsOf(one.model))
  for (const relation of near) {
    if (relation.table.split('.').at(-1) !== table) continue
    const [own, other] = relation.pair
    if (columns[0] === own) return { table: relation.table, pair: [own, other] }
    if (columns[0] === other) return { table: relation.table, pair: [other, own] }
  }
  return undefined
}

type Row = Record<string, unknown>

/* Limit, because all rows remain in memory until the deletion is logged. */
const MOST_ROWS = 10_000

/** A row that the database deletes or changes because another row is deleted. */
interface CausedChange {
  resource: Resource
  row: Row
  /** Columns that the database sets to null; null: it deletes the row */
  emptied: ReadonlySet<Column> | null
  /** Pivot rows that are deleted with the row */
  pivots?: PivotChange[]
  client: QueryClientContract
}

/** Writes that a deletion causes. */
export interface Caused {
  changes: CausedChange[]
  /** Pivot rows that are deleted with the record itself */
  pivots: PivotChange[]
  /** True if there are more rows than were read */
  isCut: boolean
}

/**
 * Returns the rows that the database deletes or updates with another row because of foreign keys, in tables of
 * decorated models. Must be called before the deletion.
 */
export async function causedBy(
  resource: Resource,
  row: Row,
  client: QueryClientContract
): Promise<Caused> {
  const deleted = new Map<string, CausedChange>()
  const emptied = new Map<string, CausedChange & { emptied: Set<Column> }>()
  const pivots: PivotChange[] = []
  let left = MOST_ROWS
  const waiting: Array<{ resource: Resource; row: Row; pivots: PivotChange[] }> = [
    { resource, row, pivots },
  ]
  const root = identityIn(resource, row)
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    for (const reference of await incomingReferences(next.resource, client)) {
      const child = reference.onDelete !== 'refuse' && modelOf(reference, next.resource)
      if (!child) {
        const change = await causedPivots(next.resource, reference, next.row, client, left + 1)
        left -= change?.removed.length ?? 0
        if (left < 0) return { changes: [], pivots: [], isCut: true }
        if (change) next.pivots.push(change)
        continue
      }
      const most = left
      const rows = await rowsReferring(child, reference, next.row, client, most + 1)
      for (const found of rows.slice(0, most)) {
        const id = identityIn(child, found)
        if (id === root || deleted.has(id)) continue
        if (!emptied.has(id)) left--
        if (reference.onDelete === 'cascade') {
          const change = { resource: child, row: found, emptied: null, pivots: [], client }
          deleted.set(id, change)
          waiting.push(change)
        } else {
          const change = emptied.get(id) ?? {
            resource: child,
            row: found,
            emptied: new Set(),
            client,
          }
          for (const column of columnsOf(child, reference)!) change.emptied.add(column)
          emptied.set(id, change)
        }
      }
      if (rows.length > most) return { changes: [], pivots: [], isCut: true }
    }
  }
  const changed = [...emptied].filter(([id]) => !deleted.has(id)).map(([, change]) => change)
  return { changes: [...deleted.values(), ...changed], pivots, isCut: false }
}

/** Returns the write that reports a caused change. */
export function writeOf(
  { resource, row, emptied, client }: CausedChange,
  origin: Pick<WriteOrigin, 'actor' | 'origin'>
): Write {
  const record = resource.reader.recordOfRow(client, row)
  const before = copyAttributes(record)
  const after = emptied && {
    ...before,
    ...Object.fromEntries([...emptied].map(({ attribute }) => [attribute, null])),
  }
  return new Write(resource, record, before, after, { ...origin, row, caused: true })
}

/** Returns the rows of a model that refer to a row. */
export async function rowsReferring(
  child: Resource,
  reference: IncomingReference,
  row: Row,
  client: QueryClientContract,
  limit: number
): Promise<Row[]> {
  const columns = columnsOf(child, reference)!
  const values = reference.references.map((name) => row[name])
  if (values.some((value) => value === null || value === undefined)) return []
  if (!child.isLoaded) await child.load(client)
  const dialect = dialectOf(client)
  const where = columns.map((column, index) =>
    dialect.compare(child.table, column, '=', values[index])
  )
  return await child.reader.rows(client, {
    where: [joined(where, 'and')],
    limit,
    lock: client.isTransaction,
  })
}

/** Returns the decorated model of a table that refers to a model's table. */
export function modelOf(
  reference: Pick<IncomingReference, 'table' | 'columns'>,
  { model }: Resource
): Resource | undefined {
  return knownResources
    .all()
    .find(
      (one) =>
        isWatched(one.model) &&
        one.table.split('.').at(-1) === reference.table &&
        connectionNameOf(one.model) === connectionNameOf(model) &&
        columnsOf(one, reference) !== null
    )
}

function columnsOf(
  { columns }: Resource,
  { columns: names }: Pick<IncomingReference, 'columns'>
): Column[] | null {
  const found = names.flatMap((name) => columns.all.find((column) => column.name === name) ?? [])
  return found.length === names.length ? found : null
}

/** Returns a text that identifies a row of a table. */
export function identityIn(resource: Resource, row: Row): string {
  return resource.key.tablePath(resource.key.ofRow(row))
}
