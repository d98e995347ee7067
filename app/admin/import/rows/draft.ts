import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { ImportFault } from '../../models/admin_import.js'
import type { FileRow } from '../../sheets/file_shape.js'
import { shorten } from '../../text/plain_text.js'

/**
 * A row on its way to a record.
 */
export interface Draft {
  row: FileRow
  /** By API name; a field that the row does not have is not there */
  body: Record<string, unknown>
  /** Effect of the row; null as long as it is not known */
  kind: 'new' | 'changed' | 'unchanged' | null
  /** The record that the row has found */
  record: LucidRow | null
  /** The same as the importer sees it: null in the fields hidden on it [U3] */
  seen: LucidRow | null
  /** Values to write, by attribute name */
  values: Record<string, unknown>
  /** Changed columns before and afterwards, by API name; of a new record its own values */
  changes: Map<string, { before: unknown; after: unknown }>
  faults: ImportFault[]
}

/* Values stand in messages. */
const LONGEST_MESSAGE = 500

export function draftOf(row: FileRow): Draft {
  const none = { kind: null, record: null, seen: null }
  return { row, ...none, body: {}, values: {}, changes: new Map(), faults: [] }
}

/** Notes a fault; field null: it is about the row as a whole. */
export function addFault({ faults, row }: Draft, field: string | null, message: string): void {
  faults.push({ line: row.line, field, message: shorten(message, LONGEST_MESSAGE) })
}

export function isFaulty({ faults }: Draft): boolean {
  return faults.length > 0
}
