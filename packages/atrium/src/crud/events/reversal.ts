import type { Column } from '#base/columns/column'
import type { Resource } from '../resource/resource.js'
import { keyedDigest } from '#base/values/digest'
import { isSameStored, seal, toStored } from '#base/values/stored_json'
import type { PivotChange } from '#base/database/pivot_change'
import { isSecretName } from '#base/values/text'

const SHOWN = new WeakMap<Resource, readonly Column[]>()

/**
 * Returns the columns that events are allowed to report: without hidden columns and columns with the name of a secret,
 * even if the model serializes them.
 */
export function loggedColumns(resource: Resource): readonly Column[] {
  let columns = SHOWN.get(resource)
  if (!columns) {
    columns = resource.columns.visible.filter((column) => !isSecret(column))
    SHOWN.set(resource, columns)
  }
  return columns
}

function isSecret({ attribute, name, apiName }: Column): boolean {
  return [attribute, name, apiName].some(isSecretName)
}

type Row = Record<string, unknown>

/** A reason why the state before a write is not known. */
type Lack = 'hidden' | 'relations' | 'children' | 'size' | 'unknown'

/** Data to restore the state of a record before a write. */
export interface Reversal {
  /**
   * The stored values before the write by column name, as JSON: all columns of a deleted record, or the changed columns
   * of an updated one; null for a new record
   */
  before: Row | null
  /** Digest of the row after the write; null if the row was deleted */
  left: string | null
  /** Pivot rows that the write added and removed */
  pivots?: PivotChange[]
  lack?: Lack
}

/**
 * Returns the data to restore the state before a write.
 *
 * @param rows  rows as `Dialect.select` returns them; undefined if not known
 */
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
 * Returns a digest of all values of a row, except those that every update sets. It uses the application's key, so that
 * it does not reveal hidden values.
 */
export function digestOfRow(resource: Resource, row: Row): string {
  const values = writtenColumns(resource)
    .filter((column) => !resource.isStamp(column))
    .map(({ name }) => [name, toStored(row[name])])
  return keyedDigest(JSON.stringify(values))
}

/** Returns the columns that can be written, without those that the database computes. */
export function writtenColumns({ base }: Resource): Column[] {
  return base.columns.all.filter(({ generated }) => !generated)
}

/** Returns the columns whose values the log is allowed to contain. */
function heldColumns({ base }: Resource): readonly Column[] {
  const { flag, timestamp } = base.softDelete ?? {}
  const own = [...base.key.columns, flag, timestamp].filter((column) => column !== undefined)
  return [...loggedColumns(base), ...own]
}

/**
 * Returns the value to log. A custom `serialize` of the column can show only a part of the value, so the value is
 * encrypted.
 */
function heldValue({ name, serialize }: Column, row: Row): unknown {
  const value = toStored(row[name])
  return serialize && value !== null ? seal(value) : value
}

function notEmpty(value: unknown): boolean {
  return value !== null && value !== undefined
}
