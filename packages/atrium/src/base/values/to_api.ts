import type { LucidRow } from '@adonisjs/lucid/types/model'
import { exactValue } from '../lucid/exact_attributes.js'
import { exactDecimal, exactInteger, isNumeral } from './numbers.js'
import type { Column } from '../columns/column.js'
import type { ColumnKind } from '../columns/column_kind.js'
import { writeDate, writeDateTime } from './datetime.js'
import { numberOrDigits, parseJson, writeJson } from './json.js'

/**
 * Returns the API form of a value of a driver or of a model's attribute. It is the same on every database: booleans are
 * booleans, and a number with more digits than JavaScript numbers preserve is returned as text.
 */
export function toApi(column: Column, value: unknown): unknown {
  return value === null || value === undefined ? null : serializerOf(column)(value)
}

/**
 * Returns the function that converts a column's values to API values, for converting many values.
 *
 * @returns a function for values that are not null
 */
export function serializerOf(
  column: Pick<Column, 'kind' | 'isDecimal' | 'consumesItself' | 'element'>
): (value: unknown) => unknown {
  if (column.kind === 'json' && column.consumesItself) return asItIs
  if (column.element) return listSerializer(column.element)
  if (column.isDecimal) return apiDecimal
  return FORMS[column.kind] ?? asItIs
}

const FORMS: Partial<Record<ColumnKind, (value: unknown) => unknown>> = {
  integer: (value) => (typeof value === 'number' ? value : apiInteger(value)),
  number: apiFloat,
  boolean: (value) => (typeof value === 'boolean' ? value : truthOf(value)),
  datetime: (value) => writeDateTime(milliseconds(value)),
  date: (value) => writeDate(milliseconds(value)),
  json: (value) => (typeof value === 'string' ? readJson(value) : value),
  binary: (value) => (Buffer.isBuffer(value) ? value.toString('base64') : value),
}

/**
 * Converts seconds to milliseconds. A number of at least 100 billion is in milliseconds already: those after 1973
 * exceed the seconds of the year 5138.
 */
function milliseconds(value: unknown): unknown {
  return typeof value === 'number' && Math.abs(value) < 100_000_000_000 ? value * 1000 : value
}

/** Returns the serializer of an array, including nested arrays. */
function listSerializer(element: Column): (value: unknown) => unknown {
  const write = element.kind === 'binary' ? base64OfHex : serializerOf(element)
  const writeList = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(writeList)
    return value === null || value === undefined ? null : write(value)
  }
  return writeList
}

/** Converts the database's text form of bytes, such as `\\xff00`. */
function base64OfHex(value: unknown): unknown {
  return Buffer.from(String(value).slice(2), 'hex').toString('base64')
}

function asItIs(value: unknown): unknown {
  return value
}

/** Returns the API form of a model instance's attribute. A custom `serialize` of the column takes precedence. */
export function attributeToApi(column: Column, record: LucidRow): unknown {
  const value = (record as unknown as Record<string, unknown>)[column.attribute]
  if (column.serialize) return column.serialize(value, column.attribute, record)
  return toApi(column, exactValue(record, column, value))
}

/**
 * Returns the API form of an attribute, without a custom `serialize` of the column.
 *
 * @param attributes  a record, its `$attributes`, or values by attribute name
 */
export function attributeValue(column: Column, attributes: object | null | undefined): unknown {
  const value = (attributes as Record<string, unknown> | undefined)?.[column.attribute]
  return toApi(column, attributes ? exactValue(attributes, column, value) : value)
}

function apiInteger(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return exactInteger(bitsOf(value)) ?? String(bitsOf(value))
  return typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value))
    ? (exactInteger(BigInt(value)) ?? String(value))
    : value
}

function apiDecimal(value: unknown): unknown {
  if (typeof value === 'string') return exactDecimal(value)
  return typeof value === 'bigint' ? exactDecimal(String(value)) : apiFloat(value)
}

/**
 * Returns a number, or a text for NaN and infinity, which JSON does not have. A stored text that is not a numeral, such
 * as an empty text, is returned unchanged.
 */
function apiFloat(value: unknown): unknown {
  if (typeof value === 'string' && !isNumeral(value)) return value
  const number = Number(value)
  return Number.isFinite(number) ? number : String(value)
}

const TRUE_TEXTS = ['1', 'true', 't', 'yes', 'y', 'on']
const FALSE_TEXTS = ['0', 'false', 'f', 'no', 'n', 'off']

/** Converts to a boolean. Any value other than a form of true or false is returned as stored. */
function truthOf(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return bitsOf(value) !== 0n
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) !== 0
  const text = String(value).toLowerCase()
  if (TRUE_TEXTS.includes(text)) return true
  return FALSE_TEXTS.includes(text) ? false : value
}

/** Reads a `bit` column of MySQL, as its driver returns it. */
function bitsOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex') || '0'}`)
}

/** Parses stored JSON; a value that is not JSON is returned as text. */
function readJson(text: string): unknown {
  try {
    return parseJson(text, numberOrDigits)
  } catch {
    return text
  }
}

type Attributes = Readonly<Record<string, unknown>>

/** True if a column has the same value in both records. */
export function isSameValue(column: Column, one: Attributes, other: Attributes): boolean {
  return isSame(apiValue(column, one), apiValue(column, other))
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function apiValue(column: Column, attributes: Attributes): unknown {
  return toJson(attributeValue(column, attributes))
}

/** Returns the value as plain JSON, independent of later changes and ready to be stored. */
export function toJson(value: unknown): unknown {
  switch (typeof value) {
    case 'bigint':
      return String(value)
    case 'object':
      return value === null ? null : plain(value)
    case 'number':
      return Number.isFinite(value) ? value : null
    default:
      return value ?? null
  }
}

function plain(value: object): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  try {
    const json = JSON.stringify(value, (_key, part) =>
      typeof part === 'bigint' ? String(part) : part
    )
    return json === undefined ? null : JSON.parse(json)
  } catch (error) {
    /* For example, the value is nested too deeply or contains itself. That must not make the write fail. */
    return error instanceof RangeError ? writeJson(value) : String(value)
  }
}
