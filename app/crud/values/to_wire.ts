import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '../resource/column.js'
import { writeDate, writeDateTime } from './datetime.js'
import { numberOrDigits, parseJson } from './json.js'
import { exactInteger } from './numbers.js'

/**
 * The wire's form of a value, whether it comes from a driver or from a model's attribute. The same
 * on every database: booleans are booleans, decimals are numbers, an integer that JavaScript can't
 * hold is its digits as text. [A20]
 */
export function toWire(column: Column, value: unknown): unknown {
  if (value === null || value === undefined) return null
  switch (column.kind) {
    case 'integer':
      return typeof value === 'number' ? value : wireInteger(value)
    case 'number':
      return typeof value === 'number' ? value : Number(value)
    case 'boolean':
      return typeof value === 'boolean' ? value : isTrue(value)
    case 'datetime':
      return writeDateTime(value)
    case 'date':
      return writeDate(value)
    case 'json':
      return typeof value === 'string' && !column.consumesItself ? readJson(value) : value
    case 'binary':
      return Buffer.isBuffer(value) ? value.toString('base64') : value
    default:
      return value
  }
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
