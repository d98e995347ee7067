import { MultipartFile } from '@adonisjs/core/bodyparser'
import {
  exactDecimal,
  exactInteger,
  readInteger,
  readNumber,
  type ExactInteger,
  type ExactNumber,
} from './numbers.js'
import type { Column } from '../columns/column.js'
import { FileReference } from './file_keys.js'
import { readDate, readDateTime } from './datetime.js'
import { LongDecimal, withoutBigInts } from './json.js'
import { isStorable } from './text.js'
import { ERRORS, type ValueError } from './to_attribute.js'

/** A value prepared for the schema, with the exact number if the schema receives a rounded one. */
export interface Prepared {
  value: unknown
  exact?: ExactNumber
  error?: ValueError
}

/**
 * Prepares a value for a derived schema. Numbers must be numbers or plain numerals (VineJS alone would accept `true`,
 * `""` and `[5]`), and datetimes are converted to the format that every schema reads. The schema validates everything
 * else.
 */
export function prepareForSchema(column: Column | undefined, given: unknown): Prepared {
  const value = given instanceof LongDecimal ? numberFor(column, given) : given
  /* Refused here, because rules of a schema can fail for such a text: encodeURI() throws for half a surrogate pair. */
  if (!isStorable(value)) return { value: undefined, error: ERRORS.text }
  if (value === null) return { value }
  switch (column?.kind) {
    case 'integer':
      return prepareInteger(column, value)
    case 'number':
      return prepareNumber(column, value)
    case 'datetime':
      return { value: typeof value === 'string' ? oneForm(value) : value }
    case 'json':
      return { value: withoutBigInts(column.element ? withDigits(column.element, value) : value) }
    default:
      return { value: typeof value === 'bigint' ? Number(value) : withoutBigInts(value) }
  }
}

/**
 * The type to which a schema converts a value before its rules apply: a number, or a datetime in any format; undefined
 * if a custom parser or custom formats convert the value.
 */
export type Reads = 'number' | 'moment' | undefined

/**
 * Prepares a value for a custom schema of a model, which receives the values as they were sent. Refuses only values
 * that no schema could read, and those that VineJS alone would wrongly accept as a number.
 *
 * @param reads  type to which the schema converts the value
 */
export function prepareAsSent(column: Column | undefined, given: unknown, reads?: Reads): Prepared {
  const value = given instanceof LongDecimal ? numberFor(column, given) : given
  if (!isStorable(value)) return { value: undefined, error: ERRORS.text }
  if (reads === 'moment' && column?.kind === 'datetime' && typeof value === 'string') {
    return { value: oneForm(value) }
  }
  const holdsNumbers = column?.kind === 'integer' || column?.kind === 'number'
  if (reads === 'number' && holdsNumbers && value !== null && !isNumeric(value)) {
    return { value, error: ERRORS[column.kind as 'integer' | 'number'] }
  }
  const exact = exactNumber(column, value)
  const isRounded = typeof exact === 'string' && reads === 'number'
  const seen =
    isRounded || (typeof value === 'bigint' && column?.kind !== 'json')
      ? Number(value)
      : withoutBigInts(value)
  return exact === undefined ? { value: seen } : { value: seen, exact }
}

/** Returns a long JSON decimal for a column: its digits for a decimal column, otherwise the rounded number. */
function numberFor(column: Column | undefined, { digits }: LongDecimal): string | number {
  return column?.isDecimal ? digits : Number(digits)
}

/** Returns the items of an array of decimals with all their digits. */
function withDigits(element: Column, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => withDigits(element, one))
  return value instanceof LongDecimal ? numberFor(element, value) : value
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'string'
    ? readNumber(value) !== null
    : typeof value === 'number' || typeof value === 'bigint'
}

/** Returns the exact number that was sent for a number column, if a JavaScript number would lose digits. */
function exactNumber(column: Column | undefined, value: unknown): ExactNumber | undefined {
  const digits = typeof value === 'bigint' ? String(value) : value
  if (typeof digits !== 'string') return undefined
  if (column?.kind === 'integer') return readInteger(digits, column.isUnsigned) ?? undefined
  const isDecimal = column?.kind === 'number' && column.isDecimal
  return isDecimal && readNumber(digits) !== null ? exactDecimal(digits) : undefined
}

/**
 * Prepares a field for a file, which only a form can contain: a JSON value in its place would cause an error in
 * VineJS's rule for files.
 */
export function prepareFile(value: unknown): Prepared {
  if (value === null || value instanceof MultipartFile) return { value }
  return { value: undefined, error: ERRORS.file }
}

/** Prepares a list of stored files: keys, or references to files that were uploaded for this write. */
export function prepareFiles(value: unknown): Prepared {
  if (value === null) return { value }
  const isList = Array.isArray(value) && value.every(isStoredFile)
  if (!isList) return { value: undefined, error: ERRORS.files }
  return { value: value.map((one) => (typeof one === 'string' ? new FileReference(one) : one)) }
}

function isStoredFile(value: unknown): value is string | FileReference {
  return value instanceof FileReference || (typeof value === 'string' && isStorable(value))
}

/** Converts a datetime to the standard form. A date without a time is left to the schema, which can require one. */
function oneForm(text: string): string {
  return readDate(text) ?? readDateTime(text) ?? text
}

function prepareInteger({ isUnsigned }: Column, value: unknown): Prepared {
  let exact: ExactInteger | null = null
  if (typeof value === 'number' && Number.isSafeInteger(value)) exact = value
  else if (typeof value === 'bigint') exact = exactInteger(value, isUnsigned)
  else if (typeof value === 'string') exact = readInteger(value, isUnsigned)

  return exact === null ? { value, error: ERRORS.integer } : { value: Number(exact), exact }
}

function prepareNumber(column: Column, value: unknown): Prepared {
  const number =
    typeof value === 'string'
      ? readNumber(value)
      : typeof value === 'number' || typeof value === 'bigint'
        ? Number(value)
        : null
  if (number === null || !Number.isFinite(number)) return { value, error: ERRORS.number }
  const exact = exactNumber(column, value)
  return exact === undefined ? { value: number } : { value: number, exact }
}
