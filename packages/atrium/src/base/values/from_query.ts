import { exactDecimal, readInteger, readNumber, type ExactNumber } from './numbers.js'
import type { Column } from '../columns/column.js'
import { readDate, readDateTime, readTime } from './datetime.js'
import { isStorableText } from './text.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The properties of a column that are needed to read a text. */
type ReadColumn = Pick<Column, 'kind' | 'isDecimal' | 'isUnsigned' | 'isSpecial'>

const READERS: Record<Column['kind'], (text: string, column: ReadColumn) => unknown> = {
  text: (text) => text,
  uuid: readUuid,
  integer: (text, { isUnsigned }) => readInteger(text, isUnsigned),
  number: (text, { isDecimal }) => (isDecimal ? readDecimal(text) : readNumber(text)),
  boolean: readBoolean,
  date: (text, column) => readDate(text) ?? special(column, text),
  datetime: (text, column) => readDateTime(text) ?? special(column, text),
  time: (text, column) => readTime(text) ?? special(column, text),
  json: () => null,
  binary: () => null,
}

/**
 * Converts text from a path or a query string to a value to compare with the column.
 *
 * @returns null if the text is invalid for the column's type
 */
export function fromQuery(column: ReadColumn, text: string): unknown {
  if (!isStorableText(text)) return null
  return READERS[column.kind](text, column)
}

function special(column: ReadColumn, text: string): string | null {
  return column.isSpecial(text) ? text : null
}

/** Reads a decimal with every digit, which the database compares. */
function readDecimal(text: string): ExactNumber | null {
  return readNumber(text) === null ? null : exactDecimal(text)
}

/** Returns the UUID in lower case, as databases with a UUID type return it; null for any other text. */
export function readUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null
}

function readBoolean(text: string): boolean | null {
  if (/^(?:true|1)$/i.test(text)) return true
  if (/^(?:false|0)$/i.test(text)) return false
  return null
}
