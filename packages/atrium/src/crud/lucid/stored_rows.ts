import type { LucidRow } from '@adonisjs/lucid/types/model'

type Row = Record<string, unknown>

const STORED = new WeakMap<LucidRow, Row>()
const LOCKED = new WeakMap<LucidRow, Row>()

/**
 * Stores the row of a record, as values of the driver by column name: all columns of the model, as `Dialect.select`
 * returns them.
 */
export function noteStoredRow(record: LucidRow, row: Row): void {
  STORED.set(record, row)
}

/**
 * Returns the row of a record, if the write returned it. Valid until the end of the action that wrote it, because until
 * then only that action can have changed it.
 */
export function storedRowOf(record: LucidRow): Row | undefined {
  return STORED.get(record)
}

/** Stores the unconverted row of a record that was read to be written. */
export function noteLockedRow(record: LucidRow, row: Row): void {
  LOCKED.set(record, row)
}

/**
 * Returns and removes the row from which a record was read to be written. Valid until the first write of the record.
 */
export function takeLockedRow(record: LucidRow): Row | undefined {
  const row = LOCKED.get(record)
  LOCKED.delete(record)
  return row
}

/** Removes the stored row of a record that another kind of write has changed. */
export function forgetStoredRow(record: LucidRow): void {
  STORED.delete(record)
}
