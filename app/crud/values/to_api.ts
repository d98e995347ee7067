import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Column, ColumnKind } from '../resource/column.js'
import { writeDate, writeDateTime } from './datetime.js'
import { numberOrDigits, parseJson } from './json.js'
import { exactInteger } from './numbers.js'

/**
 * The wire's form of a value, whether it comes from a driver or from a model's attribute. The same
 * on every database: booleans are booleans, decimals are numbers, an integer that JavaScript can't
 * hold is its digits as text. [A20]
 */
export function toWire(column: Column, value: unknown): unknown {
  return value === null || value === undefined ? null : wireForm(column)(value)
}

/**
 * How a column's values become the wire's, for who has many of them.
 *
 * @returns a function of a value that is not null
 */
export function wireForm(column: Column): (value: unknown) => unknown {
  if (column.kind === 'json' && column.consumesItself) return asItIs
  return FORMS[column.kind] ?? asItIs
}

const FORMS: Partial<Record<ColumnKind, (value: unknown) => unknown>> = {
  integer: (value) => (typeof value === 'number' ? value : wireInteger(value)),
  number: (value) => (typeof value === 'number' ? value : Number(value)),
  boolean: (value) => (typeof value === 'boolean' ? value : isTrue(value)),
  datetime: writeDateTime,
  date: writeDate,
  json: (value) => (typeof value === 'string' ? readJson(value) : value),
  binary: (value) => (Buffer.isBuffer(value) ? value.toString('base64') : value),
}

function asItIs(value: unknown): unknown {
  return value
}

/**
 * The wire's form of a model instance's attribute. The column's own `serialize` wins. [A20]
 */
export function attributeToWire(column: Column, record: LucidRow): unknown {
  const value = (record as unknown as Record<string, unknown>)[column.attribute]
  return column.serialize
    ? column.serialize(value, column.attribute, record)
    : toWire(column, value)
}

function wireInteger(value: unknown): unknown {
  return typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value))
    ? (exactInteger(BigInt(value)) ?? String(value))
    : value
}

function isTrue(value: unknown): boolean {
  return value === 1 || value === '1' || value === 't' || value === 'true'
}

/** What is stored may not be JSON at all: then the text itself is the value. */
function readJson(text: string): unknown {
  try {
    return parseJson(text, numberOrDigits)
  } catch {
    return text
  }
}
