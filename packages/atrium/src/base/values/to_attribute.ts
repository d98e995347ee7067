import { MultipartFile } from '@adonisjs/core/bodyparser'
import { DateTime } from 'luxon'
import {
  exactDecimal,
  decimalPlaces,
  exactInteger,
  isBeyondDecimal,
  readInteger,
  readNumber,
  writeNumeral,
  type ExactInteger,
  type ExactNumber,
} from './numbers.js'
import type { Column } from '../columns/column.js'
import { fromUtc, readDate, readDateTime, readTime, writeDate, writeDateTime } from './datetime.js'
import { readUuid } from './from_query.js'
import { numberOrDigits } from './json.js'
import { characterCount } from './text.js'

/** The reason why a value is invalid for its column. */
export interface ValueError {
  rule: string
  /** End of the message that begins with "The x field ..." */
  message: string
}

/** Errors that columns of all types share. */
export const ERRORS = {
  text: { rule: 'text', message: 'must not contain NUL or broken characters' },
  string: { rule: 'string', message: 'must be a string' },
  integer: { rule: 'integer', message: 'must be an integer of at most 64 bits' },
  number: { rule: 'number', message: 'must be a number' },
  boolean: { rule: 'boolean', message: 'must be true or false' },
  date: { rule: 'date', message: 'must be a date as YYYY-MM-DD' },
  datetime: {
    rule: 'datetime',
    message: 'must be a datetime as YYYY-MM-DD HH:MM:SS in UTC, or ISO 8601 with an offset',
  },
  time: { rule: 'time', message: 'must be a time as HH:MM:SS' },
  uuid: { rule: 'uuid', message: 'must be a UUID' },
  binary: { rule: 'base64', message: 'must be text in base64' },
  list: { rule: 'list', message: 'must be a list' },
  null: { rule: 'nullable', message: 'must not be null' },
  file: { rule: 'file', message: 'must be a file' },
  files: { rule: 'file', message: 'must be a list of files that the record has' },
} satisfies Record<string, ValueError>

/**
 * Converts the schema's output to the value of the model's attribute.
 *
 * @returns `{ value }`, or `{ error }` if the value is invalid for the column
 */
export function toAttribute(
  column: Column,
  value: unknown,
  exact?: ExactNumber
): { value?: unknown; error?: ValueError } {
  if (value === null) {
    return column.nullable ? { value } : { error: ERRORS.null }
  }
  if (column.isSpecial(value)) return { value }
  /* The code that stores the file replaces it with its key. */
  if (value instanceof MultipartFile) return { value }
  /* The exact number is stored if the schema returns the number that was sent in a rounded form. */
  const whole = exact !== undefined && value === Number(exact) ? exact : value
  switch (column.kind) {
    case 'text':
      if (typeof value === 'string') return limitLength(column, value)
      if (column.preparesItself) return { value }
      return writtenOut(value) === null
        ? { error: ERRORS.string }
        : limitLength(column, writtenOut(value)!)
    case 'uuid':
      return convert(column, value, asUuid, ERRORS.uuid)
    case 'integer': {
      const integer = asInteger(column, whole)
      if (integer !== null) return limitRange(column, integer)
      return isModelsOwn(column, value) ? { value } : { error: ERRORS.integer }
    }
    case 'number': {
      const number = asNumber(column, whole)
      if (number !== null) return limitDecimal(column, number)
      return isModelsOwn(column, value) ? { value } : { error: ERRORS.number }
    }
    case 'boolean':
      return convert(column, value, asBoolean, ERRORS.boolean)
    case 'date':
      /* A datetime is not cut to a date, which would silently lose the time. */
      return toMoment(
        column,
        readDate(typeof value === 'string' ? value : String(writeDate(value))),
        ERRORS.date
      )
    case 'datetime':
      return toMoment(column, readDateTime(String(writeDateTime(value))), ERRORS.datetime)
    case 'time':
      return convert(column, value, (text) => asTime(column, text), ERRORS.time)
    case 'json':
      if (column.element && !column.preparesItself) return toList(column.element, value)
      return { value: column.preparesItself ? value : JSON.stringify(value, digitsOfBigInts) }
    case 'binary':
      return convert(column, value, asBytes, ERRORS.binary)
  }
}

/** Converts the items of an array, each like a value of a column; also for nested arrays. */
function toList(element: Column, value: unknown): { value?: unknown; error?: ValueError } {
  if (!Array.isArray(value)) return { error: ERRORS.list }
  const items: unknown[] = []
  for (const one of value) {
    const item = Array.isArray(one) ? toList(element, one) : toItem(element, one)
    if (!item.error) items.push(item.value)
    else if (item.error.rule === 'list') return item
    else
      return {
        error: { rule: 'list', message: `${ERRORS.list.message}: an item ${item.error.message}` },
      }
  }
  return { value: items }
}

function toItem(element: Column, value: unknown) {
  if (element.kind === 'text' && value !== null && typeof value !== 'string') {
    return { error: ERRORS.string }
  }
  const item = toAttribute(element, value)
  return Buffer.isBuffer(item.value) ? { value: `\\x${item.value.toString('hex')}` } : item
}

/*
 * Returns the text of a schema's output for a text column, or null. No conversion below guesses: a text becomes a
 * number only if it is a plain numeral, and a number becomes a boolean only if it is 0 or 1.
 */

function writtenOut(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? writeNumeral(value) : null
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  return value instanceof Date || DateTime.isDateTime(value) ? String(writeDateTime(value)) : null
}

function asInteger({ isUnsigned }: Column, value: unknown): ExactInteger | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null
  if (typeof value === 'bigint') return exactInteger(value, isUnsigned)
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'string' ? readInteger(value, isUnsigned) : null
}

function asNumber({ isDecimal }: Column, value: unknown): ExactNumber | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' && typeof value !== 'bigint') return null
  const number = readNumber(String(value))
  return number !== null && isDecimal ? exactDecimal(String(value)) : number
}

function asBoolean(value: unknown): boolean | null {
  if ([true, 1, '1', 'true'].includes(value as string)) return true
  return [false, 0, '0', 'false'].includes(value as string) ? false : null
}

const asUuid = (value: unknown) => (typeof value === 'string' ? readUuid(value) : null)

function asTime({ secondsScale }: Column, value: unknown): string | null {
  const time = typeof value === 'string' ? readTime(value) : null
  const [, fraction = ''] = time?.split('.') ?? []
  return fraction.replace(/0+$/, '').length > secondsScale ? null : time
}

function asBytes(value: unknown): Buffer | null {
  if (value instanceof Uint8Array) return Buffer.from(value)
  return typeof value === 'string' ? readBase64(value) : null
}

function digitsOfBigInts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? numberOrDigits(value) : value
}

function limitLength(column: Column, text: string) {
  const most = column.maxLength
  if (most !== null && text.length > most && characterCount(text) > most) {
    return {
      error: { rule: 'maxLength', message: `must not be greater than ${most} characters` },
    }
  }
  return { value: text }
}

/** Checks the range before the write, because PostgreSQL's error does not contain the field name. */
function limitRange({ integerRange: range }: Column, value: ExactInteger) {
  if (range && (BigInt(value) < range.least || BigInt(value) > range.most)) {
    const message = `must be between ${range.least} and ${range.most}`
    return { error: { rule: 'range', message } }
  }
  return { value }
}

/**
 * Checks range and decimal places, because databases would round the value, or fail without a field name. A model with
 * a custom `prepare` can store other units.
 */
function limitDecimal({ decimalRange: range, preparesItself }: Column, value: ExactNumber) {
  if (!range || preparesItself) return { value }
  if (isBeyondDecimal(value, range.most)) {
    const message = `must be between -${range.most} and ${range.most}`
    return { error: { rule: 'range', message } }
  }
  if (decimalPlaces(value) > range.scale) {
    const places = range.scale === 1 ? 'decimal place' : 'decimal places'
    const message = `must have at most ${range.scale} ${places}`
    return { error: { rule: 'scale', message } }
  }
  return { value }
}

function toMoment(column: Column, text: string | null, error: ValueError) {
  if (text === null) return { error }
  return { value: column.holdsDateTime ? fromUtc(text) : text }
}

/** True for values that a custom `prepare` of the model can convert, such as names for numbers. */
function isModelsOwn({ preparesItself }: Column, value: unknown): boolean {
  return preparesItself && typeof value !== 'number'
}

/** Converts a value. A model with a custom `prepare` can accept values of another type than that of the column. */
function convert(
  { preparesItself }: Column,
  value: unknown,
  read: (value: unknown) => unknown,
  error: ValueError
) {
  const converted = read(value)
  if (converted !== null) return { value: converted }
  return preparesItself && typeof value !== 'string' ? { value } : { error }
}

function readBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : null
}
