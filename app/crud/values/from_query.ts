import type { Column } from '../resource/column.js'
import { readDate, readDateTime, readTime } from './datetime.js'
import { readInteger, readNumber } from './numbers.js'
import { isStorableText } from './text.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const READERS: Record<Column['kind'], (text: string) => unknown> = {
  text: (text) => text,
  uuid: readUuid,
  integer: readInteger,
  number: readNumber,
  boolean: readBoolean,
  date: readDate,
  datetime: readDateTime,
  time: readTime,
  json: () => null,
  binary: () => null,
}

/**
 * Converts a text of a path or a query string to a value to compare with the column.
 *
 * @returns null if the text is invalid for the column's type
 */
export function fromQuery(column: Column, text: string): unknown {
  return isStorableText(text) ? READERS[column.kind](text) : null
}

/** @returns the UUID in lower case, as databases with a UUID type return it */
export function readUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null
}

function readBoolean(text: string): boolean | null {
  if (/^(?:true|1)$/i.test(text)) return true
  if (/^(?:false|0)$/i.test(text)) return false
  return null
}
