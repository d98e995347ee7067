import type { LucidRow } from '@adonisjs/lucid/types/model'

type Row = Record<string, unknown>

const STORED = new WeakMap<LucidRow, Row>()

/**
 * Remembers the record's row, in the driver's values by column name: all columns of the model, as
 * `Dialect.select` returns them.
 */
export function noteStoredRow(record: LucidRow, row: Row): void {
  STORED.set(record, row)
}

/**
 * The record's row, if the write returned it. Valid until the end of the action that wrote it, as only
 * that action can have changed it meanwhile.
 */
export function storedRowOf(record: LucidRow): Row | undefined {
  return STORED.get(record)
}

/** Forgets the row of a record, which another kind of write has changed. */
export function forgetStoredRow(record: LucidRow): void {
  STORED.delete(record)
}
