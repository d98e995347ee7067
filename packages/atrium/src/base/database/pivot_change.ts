import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { fromStored, isSameStored, toStored } from '../values/stored_json.js'
import { isSecretName } from '../values/text.js'

type Row = Record<string, unknown>

/**
 * Rows of a pivot table that a write of a record added and removed, as JSON. A row that was changed is in both lists.
 */
export interface PivotChange {
  table: string
  /** Columns with the keys of the written record and of the related one */
  pair: readonly [string, string]
  added: Row[]
  removed: Row[]
}

/** Returns the difference between a record's pivot rows before and after a write; null if there is none. */
export function pivotChange(
  { table, pair }: Pick<PivotChange, 'table' | 'pair'>,
  before: readonly Row[],
  after: readonly Row[]
): PivotChange | null {
  const old = before.map(storedRow)
  const added = takeEqual(after.map(storedRow), old)
  return added.length + old.length > 0 ? { table, pair, added, removed: old } : null
}

/** Merges the changes of one action to the same table for the same record. */
export function mergedPivots(changes: readonly PivotChange[]): PivotChange[] {
  const merged = new Map<string, PivotChange>()
  for (const { table, pair, added, removed } of changes) {
    const id = JSON.stringify([table, pair])
    const earlier = merged.get(id) ?? { table, pair, added: [], removed: [] }
    const before = [...earlier.removed, ...takeEqual([...removed], earlier.added)]
    const after = [...earlier.added, ...added]
    merged.set(id, { table, pair, added: takeEqual(after, before), removed: before })
  }
  return [...merged.values()].filter(({ added, removed }) => added.length + removed.length > 0)
}

/** Returns the change that reverts another one. */
export function inverseOf({ added, removed, ...rest }: PivotChange): PivotChange {
  return { ...rest, added: removed, removed: added }
}

/** Removes the pivot rows that a write added. */
export async function removeAddedRows(
  changes: readonly PivotChange[] = [],
  client: TransactionClientContract
): Promise<void> {
  for (const { added, pair, table } of changes) {
    for (const row of added) {
      const query = client.query().from(table)
      for (const column of pair) query.where(column, fromStored(row[column]) as any)
      await query.delete()
    }
  }
}

/** True if removed rows contain values that the log is not allowed to contain. */
export function losesSecrets({ removed }: PivotChange): boolean {
  return removed.some((row) =>
    Object.entries(row).some(([name, value]) => value !== null && isSecretName(name))
  )
}

/** Returns the change without values that the log is not allowed to contain. */
export function withoutSecrets({ added, removed, ...rest }: PivotChange): PivotChange {
  return { ...rest, added: added.map(rowWithoutSecrets), removed: removed.map(rowWithoutSecrets) }
}

/** True if two rows have equal values in all columns that both have. */
export function isSameRow(one: Row, other: Row): boolean {
  return Object.keys(one).every((name) => !(name in other) || isSameStored(one[name], other[name]))
}

function rowWithoutSecrets(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !isSecretName(name)))
}

function storedRow(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toStored(value)]))
}

/**
 * Removes the rows that both lists contain from the second list.
 *
 * @returns the rows that only the first list contains
 */
function takeEqual(rows: readonly Row[], others: Row[]): Row[] {
  const places = new Map<string, number[]>()
  others.forEach((row, index) => {
    const id = JSON.stringify(row)
    places.set(id, [...(places.get(id) ?? []), index])
  })
  const taken = new Set<number>()
  const left = rows.filter((row) => {
    const index = places.get(JSON.stringify(row))?.pop()
    if (index !== undefined) taken.add(index)
    return index === undefined
  })
  const stored = others.filter((_, index) => !taken.has(index))
  others.splice(0, others.length, ...stored)
  return left
}
