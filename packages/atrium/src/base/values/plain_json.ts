import type { Column } from '../columns/column.js'
import { writeJson } from './json.js'
import { attributeValue } from './to_api.js'

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
