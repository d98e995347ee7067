import { DateTime } from 'luxon'
import type { Dialect } from '../database/dialect.js'
import { joined, type Sql } from '../sql/sql.js'
import { invalidId } from '../http/problems.js'
import { fromJsonKey } from '../values/from_json_key.js'
import { fromQuery } from '../values/from_query.js'
import { toApi } from '../values/to_api.js'
import type { Column } from './column.js'

/**
 * The value of a key: one part for each key column, in declaration order.
 */
export type KeyValue = readonly unknown[]

/** The key of an item: one column or several, of any name. [A9] */
export class Key {
  constructor(
    readonly columns: readonly Column[],
    readonly table: string
  ) {}

  get isComposite(): boolean {
    return this.columns.length > 1
  }

  /**
   * The route parameters, as in `id`, or `orderId` and `line` for a composite key.
   */
  get params(): string[] {
    return this.isComposite ? this.columns.map((column) => column.attribute) : ['id']
  }

  /** As in `/:id`. */
  get pattern(): string {
    return this.params.map((param) => `/:${param}`).join('')
  }

  /**
   * Reads the key from a route's parameters, already decoded.
   *
   * @throws Problem 422  naming the first part that is invalid for its column's type
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
   * Reads a key in a JSON body: a single value, or an array of the parts of a composite key. [B20, D4]
   *
   * @returns null if it can't be a key
   */
  fromJson(value: unknown): KeyValue | null {
    const parts = this.isComposite ? value : [value]
    if (!Array.isArray(parts) || parts.length !== this.columns.length) return null
    const values = this.columns.map((column, index) => fromJsonKey(column, parts[index]))
    return values.includes(null) ? null : values
  }

  /**
   * Reads a key of own code: a single value, or an array of the parts.
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
   * The key of a model instance or of any object with its attributes. A date becomes a text, which fits
   * into a path and compares with the column.
   */
  of(record: object): KeyValue {
    return this.columns.map((column) => {
      const value = (record as Record<string, unknown>)[column.attribute]
      return DateTime.isDateTime(value) ? toApi(column, value) : value
    })
  }

  /** The key of a row of the driver. */
  ofRow(row: Record<string, unknown>): KeyValue {
    return this.columns.map((column) => toApi(column, row[column.name]))
  }

  /** The item's path below the resource's path, encoded: `/42`, `/7/a%2Fb`. */
  toPath(key: KeyValue): string {
    return key.map((part) => `/${encodeURIComponent(String(part))}`).join('')
  }

  /** One text for the item among those of all tables: the table and the path. */
  tablePath(key: KeyValue): string {
    return `${this.table}${this.toPath(key)}`
  }

  /** The condition for one item: every key column is in it. */
  is(key: KeyValue, dialect: Dialect): Sql {
    const parts = this.columns.map((column, index) =>
      dialect.compare(this.table, column, '=', key[index])
    )
    return parts.length === 1 ? parts[0] : joined(parts, 'and')
  }

  /** The condition for any of several items. */
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

/**
 * One text for one key: drivers give the same one as number, text or bigint.
 */
export function identityOf(key: KeyValue): string {
  return JSON.stringify(key.map((part) => String(part)))
}
