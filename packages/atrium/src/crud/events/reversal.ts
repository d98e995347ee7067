import type { Column } from '#base/columns/column'
import type { Resource } from '../resource/resource.js'
import { keyedDigest } from '#base/values/digest'
import { isSameStored, seal, toStored } from '#base/values/stored_json'
import type { PivotChange } from '#base/database/pivot_change'
import { loggedColumns } from './secrets.js'

type Row = Record<string, unknown>

/** A reason why the state before a write is not known. */
type Lack = 'hidden' | 'relations' | 'children' | 'size' | 'unknown'

/**
 * Data to put a record back into its state before a write. [R7]
 */
export interface Reversal {
  /**
   * The stored values before the write by column name, as JSON: all columns of a deleted record, and the changed
   * ones of others; null for a new one
   */
  before: Row | null
  /** Digest of the row after the write; null: there is none */
  left: string | null
  /** Pivot rows that the write added and removed */
  pivots?: PivotChange[]
  lack?: Lack
}

/** @param rows  as `Dialect.select` returns them; undefined: not known */
export function reversalOf(
  resource: Resource,
  { before, after }: { before?: Row | null; after?: Row | null },
  { lack }: { lack?: Lack } = {}
): Reversal {
  if (before === undefined || after === undefined) {
    return { before: null, left: null, lack: lack ?? 'unknown' }
  }
  const left = after && digestOfRow(resource, after)
  if (!before) return { before, left, ...(lack && { lack }) }
  const held = new Set(heldColumns(resource))
  const changed = writtenColumns(resource).filter((column) => {
    return after ? !isSameStored(before[column.name], after[column.name]) : true
  })
  const isLost = changed.some(
    (column) => !held.has(column) && (after !== null || notEmpty(before[column.name]))
  )
  const stored = changed.filter((column) => held.has(column))
  const missing = lack ?? (isLost ? 'hidden' : undefined)
  return {
    before: Object.fromEntries(stored.map((column) => [column.name, heldValue(column, before)])),
    left,
    ...(missing && { lack: missing }),
  }
}

/**
 * A digest of all values of a row but those that every update sets anew, with the application's key: it tells
 * nothing of hidden values.
 */
export function digestOfRow(resource: Resource, row: Row): string {
  const values = writtenColumns(resource)
    .filter((column) => !resource.isStamp(column))
    .map(({ name }) => [name, toStored(row[name])])
  return keyedDigest(JSON.stringify(values))
}

/** The columns that can be written: not those that the database computes. */
export function writtenColumns({ base }: Resource): Column[] {
  return base.columns.all.filter(({ generated }) => !generated)
}

/** The columns whose values the log may hold. */
function heldColumns({ base }: Resource): readonly Column[] {
  const { flag, timestamp } = base.softDelete ?? {}
  const own = [...base.key.columns, flag, timestamp].filter((column) => column !== undefined)
  return [...loggedColumns(base), ...own]
}

/** A column's own `serialize` may show a part of its value only, so the whole is encrypted. */
function heldValue({ name, serialize }: Column, row: Row): unknown {
  const value = toStored(row[name])
  return serialize && value !== null ? seal(value) : value
}

function notEmpty(value: unknown): boolean {
  return value !== null && value !== undefined
}
