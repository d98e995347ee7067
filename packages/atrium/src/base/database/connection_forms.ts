import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

type Row = Record<string, unknown>

/** Converts values of the engine's forms to those of a connection, by column name */
export type Conversions = ReadonlyArray<readonly [name: string, convert: (value: any) => unknown]>

/**
 * The value forms of an ordinary connection of Lucid. The engine's own queries read exact values, in the forms of
 * the connections of `adonis-atrium/database`; models get what the connection itself returns. [K5]
 */
export interface ConnectionForms {
  /**
   * Options of the driver for one query that reads exact values
   *
   * @param connection  of the driver, if it is known already
   */
  options(connection?: any): object
  /**
   * @param fields  of the driver's result
   * @returns for the columns whose exact values may have another form than those of the connection
   */
  conversions(fields: readonly any[]): Conversions
}

/* Of the rows that were read exactly from an ordinary connection */
const CONVERSIONS = new WeakMap<Row, Conversions>()

/** Connections by their configuration; null for those that return exact values themselves */
const FORMS = new WeakMap<object, ConnectionForms | null>()

/**
 * @param make  called once for a connection
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

/** Notes how the connection itself would return the values of rows that were read exactly. */
export function noteConversions(rows: readonly Row[], conversions: Conversions): void {
  if (conversions.length === 0) return
  for (const row of rows) CONVERSIONS.set(row, conversions)
}

/**
 * A copy of the row as the connection itself returns it; undefined if they are equal.
 *
 * @param row  as an own query of the engine has returned it
 */
export function asConnectionReturns(row: Row): Row | undefined {
  const conversions = CONVERSIONS.get(row)
  return conversions && converted(row, conversions)
}

/** A copy of the row that is known to have the same forms. */
export function copyOf(row: Row): Row {
  const copy = { ...row }
  const conversions = CONVERSIONS.get(row)
  if (conversions) CONVERSIONS.set(copy, conversions)
  return copy
}

/** A copy of the row with values in the connection's forms. */
export function converted(row: Row, conversions: Conversions): Row {
  const own = { ...row }
  for (const [name, convert] of conversions) {
    if ((own[name] ?? null) !== null) own[name] = convert(own[name])
  }
  return own
}

/** The text of a decimal with all its decimal places, as databases write it. */
export function paddedDecimal(digits: string, scale: number): string {
  const [whole, fraction = ''] = digits.split('.')
  if (scale <= fraction.length || !/^-?\d+$/.test(whole)) return digits
  return `${whole}.${fraction.padEnd(scale, '0')}`
}
