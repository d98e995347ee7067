import { MultipartFile } from '@adonisjs/core/bodyparser'
import type { Column } from '../resource/column.js'
import { fromUtc, readDate, readDateTime, readTime, writeDate, writeDateTime } from './datetime.js'
import { readUuid } from './from_query.js'
import { withoutBigInts } from './json.js'
import { exactInteger, readInteger, readNumber, type ExactInteger } from './numbers.js'
import { characterCount, isStorable } from './text.js'

/**
 * Why a value of a body can't be a value of its column.
 */
export interface ValueFault {
  rule: string
  /** Completes "The x field ..." */
  message: string
}

/**
 * A value before and after the look at its column: what the schema is to see, and the exact integer
 * where the schema could only see a rounded one.
 */
export interface Prepared {
  value: unknown
  exact?: ExactInteger
  fault?: ValueFault
}

const FAULTS = {
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
  null: { rule: 'nullable', message: 'must not be null' },
  file: { rule: 'file', message: 'must be a file' },
} satisfies Record<string, ValueFault>

/**
 * Looks at a value before the schema does. Numbers must be numbers or plain numerals (VineJS alone
 * would take `true`, `""` and `[5]`), moments get the one form that every schema reads; everything
 * else is the schema's to judge. [A20, A28]
 */
export function prepareForSchema(column: Column | undefined, value: unknown): Prepared {
  /* A schema's rules may stumble over it: encodeURI() throws at half of a surrogate pair. */
  if (!isStorable(value)) return { value: undefined, fault: FAULTS.text }
  if (value === null) return { value }
  switch (column?.kind) {
    case 'integer':
      return prepareInteger(value)
    case 'number':
      return prepareNumber(value)
    case 'datetime':
      return { value: typeof value === 'string' ? oneForm(value) : value }
    case 'json':
      return { value: withoutBigInts(value) }
    default:
      return { value: typeof value === 'bigint' ? Number(value) : withoutBigInts(value) }
  }
}

/**
 * The same for a field that takes a file, which only a form can hold: whatever JSON has in its place
 * would break VineJS's rule for files.
 */
export function prepareFile(value: unknown): Prepared {
  if (value === null || value instanceof MultipartFile) return { value }
  return { value: undefined, fault: FAULTS.file }
}

/** A day alone is left to the schema, which may want nothing else. */
function oneForm(text: string): string {
  return readDate(text) ?? readDateTime(text) ?? text
}

function prepareInteger(value: unknown): Prepared {
  let exact: ExactInteger | null = null
  if (typeof value === 'number' && Number.isSafeInteger(value)) exact = value
  else if (typeof value === 'bigint') exact = exactInteger(value)
  else if (typeof value === 'string') exact = readInteger(value)

  return exact === null ? { value, fault: FAULTS.integer } : { value: Number(exact), exact }
}

function prepareNumber(value: unknown): Prepared {
  const number =
    typeof value === 'string'
      ? readNumber(value)
      : typeof value === 'number' || typeof value === 'bigint'
        ? Number(value)
        : null
  return number !== null && Number.isFinite(number)
    ? { value: number }
    : { value, fault: FAULTS.number }
}

/**
 * Turns what the schema made of a value into what the model's attribute holds.
 *
 * @returns `{ value }`, or `{ fault }` if the column can't hold it
 */
export function toAttribute(
  column: Column,
  value: unknown,
  exact?: ExactInteger
): { value?: unknown; fault?: ValueFault } {
  if (value === null) {
    return column.nullable ? { value } : { fault: FAULTS.null }
  }
  /* Whoever stores the file puts its key in its place. */
  if (value instanceof MultipartFile) return { value }
  switch (column.kind) {
    case 'text':
      if (typeof value === 'string') return limitLength(column, value)
      return column.preparesItself ? { value } : { fault: FAULTS.string }
    case 'uuid':
      return convert(typeof value === 'string' ? readUuid(value) : null, FAULTS.uuid)
    case 'integer':
      if (exact !== undefined && value === Number(exact)) return limitRange(column, exact)
      return Number.isSafeInteger(value)
        ? limitRange(column, value as number)
        : { fault: FAULTS.integer }
    case 'number':
      return Number.isFinite(value)
        ? limitDecimal(column, value as number)
        : { fault: FAULTS.number }
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { fault: FAULTS.boolean }
    case 'date':
      /* A text is not cut to a day: what follows the day would be lost without a word. */
      return toMoment(
        column,
        readDate(typeof value === 'string' ? value : String(writeDate(value))),
        FAULTS.date
      )
    case 'datetime':
      return toMoment(column, readDateTime(String(writeDateTime(value))), FAULTS.datetime)
    case 'time':
      return convert(typeof value === 'string' ? readTime(value) : null, FAULTS.time)
    case 'json':
      return { value: column.preparesItself ? value : JSON.stringify(value) }
    case 'binary':
      return convert(typeof value === 'string' ? readBase64(value) : null, FAULTS.binary)
  }
}

function limitLength(column: Column, text: string) {
  const most = column.maxLength
  if (most !== null && text.length > most && characterCount(text) > most) {
    return {
      fault: { rule: 'maxLength', message: `must not be greater than ${most} characters` },
    }
  }
  return { value: text }
}

/** PostgreSQL would not say which field it was. */
function limitRange({ integerRange: range }: Column, value: ExactInteger) {
  if (range && (BigInt(value) < range.least || BigInt(value) > range.most)) {
    const message = `must be between ${range.least} and ${range.most}`
    return { fault: { rule: 'range', message } }
  }
  return { value }
}

/** Nor would it here. A model that writes the column itself may count in other units. */
function limitDecimal({ decimalRange: range, preparesItself }: Column, value: number) {
  if (range && !preparesItself && Math.abs(value) >= Number(range.most) + 0.5 / 10 ** range.scale) {
    const message = `must be between -${range.most} and ${range.most}`
    return { fault: { rule: 'range', message } }
  }
  return { value }
}

function toMoment(column: Column, text: string | null, fault: ValueFault) {
  if (text === null) return { fault }
  return { value: column.holdsDateTime ? fromUtc(text) : text }
}

function convert(value: unknown, fault: ValueFault) {
  return value === null ? { fault } : { value }
}

function readBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : null
}
