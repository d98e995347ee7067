import type { LucidRow } from '@adonisjs/lucid/types/model'

type Row = Record<string, unknown>

const STORED = new WeakMap<LucidRow, Row>()
const LOCKED = new WeakMap<LucidRow, Row>()

/**
 * Remembers the record's row, in the driver's values by column name: all columns of the model, as
 * `Dialect.select` returns them.
 */
export function noteStoredRow(record: LucidRow, row: Row): void {
  STORED.set(record, row)
}

/**
 * The record's row, if the write returned it. Valid until the end of the action that wrote it, as only
 * that action can have changed it since then.
 */
export function storedRowOf(record: LucidRow): Row | undefined {
  return STORED.get(record)
}

/** Remembers the row of a record that was read to be written, before it was converted. */
export function noteLockedRow(record: LucidRow, row: Row): void {
  LOCKED.set(record, row)
}

/**
 * The row that a record was read from to be written. Valid until the record's first write, which takes it.
 */
export function takeLockedRow(record: LucidRow): Row | undefined {
  const row = LOCKED.get(record)
  LOCKED.delete(record)
  return row
}

/** Forgets the row of a record, which another kind of write has changed. */
export function forgetStoredRow(record: LucidRow): void {
  STORED.delete(record)
}
