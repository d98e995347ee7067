import { MultipartFile } from '@adonisjs/core/bodyparser'
import { DateTime } from 'luxon'
import { exactDecimal } from '../database/exact_numbers.js'
import type { Column } from '../resource/column.js'
import { fromUtc, readDate, readDateTime, readTime, writeDate, writeDateTime } from './datetime.js'
import { readUuid } from './from_query.js'
import { numberOrDigits, withoutBigInts } from './json.js'
import {
  exactInteger,
  isBeyondDecimal,
  readInteger,
  readNumber,
  writeNumeral,
  type ExactInteger,
  type ExactNumber,
} from './numbers.js'
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
 * A value before and after the look at its column: what the schema is to see, and the exact number
 * where the schema could only see a rounded one.
 */
export interface Prepared {
  value: unknown
  exact?: ExactNumber
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
 * Looks at a value before a derived schema does. Numbers must be numbers or plain numerals (VineJS alone
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
 * What a type of a schema reads before any of its rules: a number, a moment of any form; undefined where
 * it leaves all that to the schema.
 */
export type Reads = 'number' | 'moment' | undefined

/**
 * The same for a schema of the model's own, which is given what the body holds and judges it: only
 * what no schema could read is taken away first, and what VineJS alone would take for a number though
 * it is none. [A20, A28]
 *
 * @param reads  what the schema wants, where it says nothing of the form
 */
export function prepareAsSent(column: Column | undefined, value: unknown, reads?: Reads): Prepared {
  if (!isStorable(value)) return { value: undefined, fault: FAULTS.text }
  if (reads === 'moment' && column?.kind === 'datetime' && typeof value === 'string') {
    return { value: oneForm(value) }
  }
  const holdsNumbers = column?.kind === 'integer' || column?.kind === 'number'
  if (reads === 'number' && holdsNumbers && value !== null && !isNumeric(value)) {
    return { value, fault: FAULTS[column.kind as 'integer' | 'number'] }
  }
  const exact = exactNumber(column, value)
  const seen =
    typeof value === 'bigint' && column?.kind !== 'json' ? Number(value) : withoutBigInts(value)
  return exact === undefined ? { value: seen } : { value: seen, exact }
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'string'
    ? readNumber(value) !== null
    : typeof value === 'number' || typeof value === 'bigint'
}

/** Of what a number column is sent, the digits that a JavaScript number would lose. */
function exactNumber(column: Column | undefined, value: unknown): ExactNumber | undefined {
  const digits = typeof value === 'bigint' ? String(value) : value
  if (typeof digits !== 'string') return undefined
  if (column?.kind === 'integer') return readInteger(digits) ?? undefined
  const isDecimal = column?.kind === 'number' && column.isDecimal
  return isDecimal && readNumber(digits) !== null ? exactDecimal(digits) : undefined
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
  exact?: ExactNumber
): { value?: unknown; fault?: ValueFault } {
  if (value === null) {
    return column.nullable ? { value } : { fault: FAULTS.null }
  }
  /* Whoever stores the file puts its key in its place. */
  if (value instanceof MultipartFile) return { value }
  /* The schema's number is the rounded one of what was sent. */
  const whole = exact !== undefined && value === Number(exact) ? exact : value
  switch (column.kind) {
    case 'text':
      if (typeof value === 'string') return limitLength(column, value)
      if (column.preparesItself) return { value }
      return writtenOut(value) === null
        ? { fault: FAULTS.string }
        : limitLength(column, writtenOut(value)!)
    case 'uuid':
      return convert(column, value, asUuid, FAULTS.uuid)
    case 'integer': {
      const integer = asInteger(whole)
      if (integer !== null) return limitRange(column, integer)
      return isModelsOwn(column, value) ? { value } : { fault: FAULTS.integer }
    }
    case 'number': {
      const number = asNumber(column, whole)
      if (number !== null) return limitDecimal(column, number)
      return isModelsOwn(column, value) ? { value } : { fault: FAULTS.number }
    }
    case 'boolean':
      return convert(column, value, asBoolean, FAULTS.boolean)
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
      return convert(column, value, asTime, FAULTS.time)
    case 'json':
      return { value: column.preparesItself ? value : JSON.stringify(value, digitsOfBigInts) }
    case 'binary':
      return convert(column, value, asBytes, FAULTS.binary)
  }
}

/*
 * What a schema may make of a value for a column of that type. Nothing is guessed: a text becomes a
 * number where it is a plain numeral, a number a boolean where it is 0 or 1.
 */

function writtenOut(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? writeNumeral(value) : null
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  return value instanceof Date || DateTime.isDateTime(value) ? String(writeDateTime(value)) : null
}

function asInteger(value: unknown): ExactInteger | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null
  if (typeof value === 'bigint') return exactInteger(value)
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'string' ? readInteger(value) : null
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
const asTime = (value: unknown) => (typeof value === 'string' ? readTime(value) : null)

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
function limitDecimal({ decimalRange: range, preparesItself }: Column, value: ExactNumber) {
  if (range && !preparesItself && isBeyondDecimal(value, range)) {
    const message = `must be between -${range.most} and ${range.most}`
    return { fault: { rule: 'range', message } }
  }
  return { value }
}

function toMoment(column: Column, text: string | null, fault: ValueFault) {
  if (text === null) return { fault }
  return { value: column.holdsDateTime ? fromUtc(text) : text }
}

/** A model that writes a number itself may have names for it. */
function isModelsOwn({ preparesItself }: Column, value: unknown): boolean {
  return preparesItself && typeof value !== 'number'
}

/** A model that writes the column itself may take what is none of the column's own type. */
function convert(
  { preparesItself }: Column,
  value: unknown,
  read: (value: unknown) => unknown,
  fault: ValueFault
) {
  const converted = read(value)
  if (converted !== null) return { value: converted }
  return preparesItself && typeof value !== 'string' ? { value } : { fault }
}

function readBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : null
}
