import type { HttpContext } from '@adonisjs/core/http'
import { stringify } from 'csv-stringify/sync'
import { isObject } from '#base/checks'
import type { Column } from '#base/columns/column'
import type { Fields } from '#base/columns/fields'
import type { Item } from '../types.js'
import { escapeFormula } from '#base/values/text'
import { writeJson } from '#base/values/json'
import { notAcceptable } from '#base/http/problems'

/**
 * Checks that the caller accepts one of the media types that a route can send. An unreadable `Accept` is ignored.
 *
 * @throws Problem 406
 */
export function checkAcceptable(
  { request, response }: HttpContext,
  types: readonly string[]
): void {
  if (types.length > 1) response.vary('Accept')
  const header = request.header('accept')
  if (header === undefined || !header.includes('/')) return
  if (!request.accepts([...types])) throw notAcceptable(types)
}

export const JSON_TYPE = 'application/json'

/** Formats of a list in addition to JSON, with their media types. */
export const LIST_FORMATS = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
} as const

export type ListFormat = keyof typeof LIST_FORMATS

/**
 * Returns the format that the caller prefers by the `Accept` header. If the caller accepts none of the formats, JSON is
 * used.
 *
 * @returns undefined for JSON
 */
export function listFormatOf({ request }: HttpContext): ListFormat | undefined {
  if (request.header('accept') === undefined) return undefined
  const accepted = request.accepts([JSON_TYPE, ...Object.values(LIST_FORMATS)])
  const formats = Object.keys(LIST_FORMATS) as ListFormat[]
  return formats.find((format) => LIST_FORMATS[format] === accepted)
}

/**
 * Returns a list with its items under another name, in the same order.
 *
 * @param list  the list, or another value of a handler of the application
 */
export function nameItems(list: unknown, name: string): unknown {
  if (name === 'data' || !isObject(list) || !('data' in list)) return list
  return Object.fromEntries(
    Object.entries(list).map(([member, value]) => [member === 'data' ? name : member, value])
  )
}

/** Kinds of columns whose values are never formulas; numbers with many digits are returned as text */
const PLAIN: ReadonlyArray<Column['kind']> = ['integer', 'number']

const NUMERAL = /^-?\d+(?:\.\d+)?$/

/** Writes items as the lines of a CSV file (RFC 4180). */
export class CsvWriter {
  readonly #names: readonly string[]
  readonly #plain: ReadonlySet<string>

  /**
   * @param names  names of the properties, in order; default: those of the fields
   */
  constructor({ columns, computed }: Fields, names?: readonly string[]) {
    this.#names = names ?? [...columns.map(({ apiName }) => apiName), ...computed.values()]
    const plain = columns.filter((column) => PLAIN.includes(column.kind) && !column.serialize)
    this.#plain = new Set(plain.map(({ apiName }) => apiName))
  }

  /** The line with the column names. */
  get heading(): string {
    return write([[...this.#names]])
  }

  /** Returns one line per item: null is an empty cell, an empty text is `""`. */
  lines(items: readonly Item[]): string {
    return write(items.map((item) => this.#names.map((name) => this.#cell(name, item[name]))))
  }

  /** Returns the content of a cell. An apostrophe prevents spreadsheets from running a text as a formula. */
  #cell(name: string, value: unknown): unknown {
    if (value === null || value === undefined || typeof value === 'number') return value
    const text = typeof value === 'string' ? value : (writeJson(value) ?? '')
    return this.#plain.has(name) && NUMERAL.test(text) ? text : escapeFormula(text)
  }
}

function write(rows: unknown[][]): string {
  if (rows.length === 0) return ''
  return stringify(rows, {
    record_delimiter: 'windows',
    quoted_match: /^$|[\r\n]/,
    cast: { number: String },
  })
}
