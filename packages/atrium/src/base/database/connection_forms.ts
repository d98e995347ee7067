import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

type Row = Record<string, unknown>

/** Functions that convert values to those of a connection, by column name */
export type Conversions = ReadonlyArray<readonly [name: string, convert: (value: any) => unknown]>

/**
 * Value forms of an ordinary Lucid connection. Queries of the engine read exact values, in the form that connections of
 * `adonis-atrium/database` return; models get the values that the connection itself returns.
 */
export interface ConnectionForms {
  /**
   * Returns driver options for a query that reads exact values
   *
   * @param connection  connection of the driver, if it is already known
   */
  options(connection?: any): object
  /**
   * Returns the conversions for the columns whose exact values can differ from those of the connection.
   *
   * @param fields  fields of the driver's result
   */
  conversions(fields: readonly any[]): Conversions
}

/* Conversions of rows that were read exactly from an ordinary connection */
const CONVERSIONS = new WeakMap<Row, Conversions>()

/** Forms by connection configuration; null for connections that return exact values themselves */
const FORMS = new WeakMap<object, ConnectionForms | null>()

/**
 * Returns the value forms of a client's connection; null if it returns exact values itself.
 *
 * @param make  called once per connection
 */
export function connectionForms(
  client: QueryClientContract,
  make: (config: any) => ConnectionForms | null
): ConnectionForms | null {
  const config = db.manager.get(client.connectionName)?.config
  if (!config) return null
  let forms = FORMS.get(config)
  if (forms === undefined) FORMS.set(config, (forms = make(config)))
  return forms
}

/** Stores, for rows that were read exactly, the conversions to the values that their connection returns. */
export function noteConversions(rows: readonly Row[], conversions: Conversions): void {
  if (conversions.length === 0) return
  for (const row of rows) CONVERSIONS.set(row, conversions)
}

/**
 * Returns a copy of the row as the connection itself returns it; undefined if no conversion is stored for the row.
 *
 * @param row  row that a query of the engine returned
 */
export function asConnectionReturns(row: Row): Row | undefined {
  const conversions = CONVERSIONS.get(row)
  return conversions && converted(row, conversions)
}

/** Returns a copy of the row, to which the same conversions apply. */
export function copyOf(row: Row): Row {
  const copy = { ...row }
  const conversions = CONVERSIONS.get(row)
  if (conversions) CONVERSIONS.set(copy, conversions)
  return copy
}

/** Returns a copy of the row with values in the connection's form. */
export function converted(row: Row, conversions: Conversions): Row {
  const own = { ...row }
  for (const [name, convert] of conversions) {
    if ((own[name] ?? null) !== null) own[name] = convert(own[name])
  }
  return own
}

/** Returns the text of a decimal with all decimal places, as databases write it. */
export function paddedDecimal(digits: string, scale: number): string {
  const [whole, fraction = ''] = digits.split('.')
  if (scale <= fraction.length || !/^-?\d+$/.test(whole)) return digits
  return `${whole}.${fraction.padEnd(scale, '0')}`
}
