import encryption from '@adonisjs/core/services/encryption'
import type { Column } from '#base/columns/column'
import type { Resource } from '../resource/resource.js'
import { keyedDigest } from '#base/values/keyed_digest'
import type { PivotChange } from './pivot_rows.js'
import { loggedColumns } from './secrets.js'

const PURPOSE = 'undo'

type Row = Record<string, unknown>

/** A reason why the state before a write is not known. */
export type Lack = 'hidden' | 'relations' | 'children' | 'size' | 'unknown'

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
  const kept = changed.filter((column) => held.has(column))
  const missing = lack ?? (isLost ? 'hidden' : undefined)
  return {
    before: Object.fromEntries(kept.map((column) => [column.name, heldValue(column, before)])),
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
    .filter((column) => !isStamp(resource, column))
    .map(({ name }) => [name, toStored(row[name])])
  return keyedDigest(JSON.stringify(values))
}

/** True if every update sets the column anew. */
export function isStamp({ base, updatedAt }: Resource, column: Column): boolean {
  return column.autoUpdate || column.name === (updatedAt ?? base.updatedAt)?.name
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
  if (!serialize || value === null) return value
  return { sealed: encryption.encrypt(JSON.stringify(value), { purpose: PURPOSE }) }
}

/** True if `fromStored` can read the value: another application key can't. */
export function isReadable(value: unknown): boolean {
  const sealed = sealedIn(value)
  return sealed === undefined || encryption.decrypt(sealed, PURPOSE) !== null
}

function sealedIn(value: unknown): string | undefined {
  const { sealed } = (value ?? {}) as { sealed?: unknown }
  return typeof sealed === 'string' ? sealed : undefined
}

/** A stored value as JSON; bytes have a form of their own. */
export function toStored(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') }
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

/** The value as the driver takes it. */
export function fromStored(value: unknown): unknown {
  const sealed = sealedIn(value)
  if (sealed !== undefined) {
    return fromStored(JSON.parse(encryption.decrypt<string>(sealed, PURPOSE)!))
  }
  const { bytes } = (value ?? {}) as { bytes?: unknown }
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : (value ?? null)
}

export function isSameStored(one: unknown, other: unknown): boolean {
  return JSON.stringify(toStored(one)) === JSON.stringify(toStored(other))
}

function notEmpty(value: unknown): boolean {
  return value !== null && value !== undefined
}
