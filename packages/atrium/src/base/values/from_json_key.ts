import type { Column } from '../columns/column.js'
import { fromQuery } from './from_query.js'
import { LongDecimal } from './json.js'
import { exactInteger, writeNumeral } from './numbers.js'

/**
 * Reads one part of a key in a JSON body. Numbers are sent as JSON numbers, or as text if they exceed their precision.
 *
 * @returns null if the value is invalid for the column's type
 */
export function fromJsonKey(column: Column, part: unknown): unknown {
  if (part instanceof LongDecimal) return fromQuery(column, part.digits)
  if (typeof part === 'string') return fromQuery(column, part)
  if (typeof part === 'boolean') return column.kind === 'boolean' ? part : null
  if (typeof part !== 'number' && typeof part !== 'bigint') return null
  switch (column.kind) {
    case 'integer':
      if (typeof part === 'bigint') return exactInteger(part, column.isUnsigned)
      return Number.isSafeInteger(part) ? part : null
    case 'number':
      return fromQuery(column, typeof part === 'bigint' ? String(part) : writeNumeral(part))
    case 'text':
      return String(part)
    default:
      return null
  }
}
