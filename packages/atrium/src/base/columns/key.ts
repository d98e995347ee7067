import { DateTime } from 'luxon'
import type { Dialect } from '../database/dialect.js'
import { joined, type Sql } from '../sql/sql.js'
import { invalidId } from '../http/problems.js'
import { fromQuery } from '../values/from_query.js'
import { toApi } from '../values/to_api.js'
import type { Column } from './column.js'
import { LongDecimal } from '../values/json.js'
import { exactInteger, writeNumeral } from '../values/numbers.js'

/**
 * Reads one part of a key in a JSON body. Numbers are sent as JSON numbers, or as text if they exceed their precision.
 *
 * @returns null if the value is invalid for the column's type
 */
function fromJsonKey(column: Column, part: unknown): unknown {
  if (part instanceof LongDecimal) return fromQuery(column, part.digits)
  if (typeof part === 'string') return fromQuery(column, part)
  if (typeof part === 'boolean') return column.kind === 'boolean' ? part : null
  if (typeof part !== 'number' && typeof part !== 'bigint') return null
  switch (column.kind) {
    case 'integer':
      if (typeof part === 'bigint') return exactInteger(part, column.isUnsigned)
      return Number.isSafeInteger(part) ? part : null
    case 'number':
      return fromQuery(column, typeof part === 'bigint' ? String(part) : writeNumeral(part))
    case 'text':
      return String(part)
    default:
      return null
  }
}

/** Value of a key: one part for each key column, in declaration order. */
export type KeyValue = readonly unknown[]

/** The key of an item: one or more columns, with any names. */
export class Key {
  constructor(
    readonly columns: readonly Column[],
    readonly table: string
  ) {}

  get isComposite(): boolean {
    return this.columns.length > 1
  }

  /** Names of the route parameters: `id`, or for example `orderId` and `line` for a composite key. */
  get params(): string[] {
    return this.isComposite ? this.columns.map((column) => column.attribute) : ['id']
  }

  /** Route pattern such as `/:id`. */
  get pattern(): string {
    return this.params.map((param) => `/:${param}`).join('')
  }

  /**
   * Reads the key from the decoded parameters of a route.
   *
   * @throws Problem 422  for the first part that is invalid for its column's type
   */
  fromParams(params: Record<string, string>): KeyValue {
    return this.columns.map((column, index) => {
      const text = String(params[this.params[index]])
      const value = fromQuery(column, text)
      if (value === null) throw invalidId(text)
      return value
    })
  }

  /**
   * Reads a key in a JSON body: a single value, or an array of the parts of a composite key.
   *
   * @returns null if the value is not a valid key
   */
  fromJson(value: unknown): KeyValue | null {
    const parts = this.isComposite ? value : [value]
    if (!Array.isArray(parts) || parts.length !== this.columns.length) return null
    const values = this.columns.map((column, index) => fromJsonKey(column, parts[index]))
    return values.includes(null) ? null : values
  }

  /**
   * Reads a key from application code: a single value, or an array of the parts.
   *
   * @throws TypeError  when the number of parts is wrong
   */
  fromCode(value: unknown): KeyValue {
    const parts = Array.isArray(value) ? value : [value]
    if (parts.length !== this.columns.length) {
      const names = this.columns.map((column) => column.attribute).join(', ')
      throw new TypeError(`A key of ${this.table} has ${this.columns.length} part(s): ${names}`)
    }
    return parts
  }

  /**
   * Returns the key of a model instance or of any object with its attributes. A date is converted to text, which can be
   * used in a path and compared with the column.
   */
  of(record: object): KeyValue {
    return this.columns.map((column) => {
      const value = (record as Record<string, unknown>)[column.attribute]
      return DateTime.isDateTime(value) ? toApi(column, value) : value
    })
  }

  /** Returns the key of a row of the driver. */
  ofRow(row: Record<string, unknown>): KeyValue {
    return this.columns.map((column) => toApi(column, row[column.name]))
  }

  /** Returns the item's encoded path below the resource's path: `/42`, `/7/a%2Fb`. */
  toPath(key: KeyValue): string {
    return key.map((part) => `/${encodeURIComponent(String(part))}`).join('')
  }

  /** Returns a text that identifies the item among those of all tables: the table and the path. */
  tablePath(key: KeyValue): string {
    return `${this.table}${this.toPath(key)}`
  }

  /** Returns the condition for one item, with every key column. */
  is(key: KeyValue, dialect: Dialect): Sql {
    const parts = this.columns.map((column, index) =>
      dialect.compare(this.table, column, '=', key[index])
    )
    return parts.length === 1 ? parts[0] : joined(parts, 'and')
  }

  /** Returns the condition for any of several items. */
  isAny(keys: readonly KeyValue[], dialect: Dialect): Sql {
    if (this.isComposite) {
      return joined(
        keys.map((key) => this.is(key, dialect)),
        'or'
      )
    }
    const values = keys.map(([value]) => value)
    return dialect.compareList(this.table, this.columns[0], values, false)
  }
}

/** Returns a text that identifies a key, because drivers return the same key as number, text or bigint. */
export function identityOf(key: KeyValue): string {
  return JSON.stringify(key.map((part) => String(part)))
}
