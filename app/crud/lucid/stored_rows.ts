import type { LucidRow } from '@adonisjs/lucid/types/model'

type Row = Record<string, unknown>

const STORED = new WeakMap<LucidRow, Row>()

/**
 * Notes what the record's row is, in the driver's values by column name: all columns that the model has,
 * as `Dialect.select` says them.
 */
export function noteStoredRow(record: LucidRow, row: Row): void {
  STORED.set(record, row)
}

/**
 * What the record's row is, if the write that made it so told. It counts for as long as the action that
 * wrote it, and nothing but that can have changed it meanwhile.
 */
export function storedRowOf(record: LucidRow): Row | undefined {
  return STORED.get(record)
}

/**
 * Whoever writes the record in another way makes what is known of it old.
 */
export function forgetStoredRow(record: LucidRow): void {
  STORED.delete(record)
}
