import { escapeFormula } from '#base/values/formula'
import { writeJson } from '#base/values/json'
import type { Cell } from '../file_shape.js'
import type { SheetOptions } from './sheet_options.js'

export interface TextOptions {
  /** True for a column of numbers */
  isNumeric: boolean
  /** True for a column of JSON */
  isJson: boolean
  raw: boolean
}

/** A name of the heading, whatever its column holds */
export function headingOptions({ raw = false }: SheetOptions): TextOptions {
  return { isNumeric: false, isJson: false, raw }
}

/** The options of each column, in order */
export function columnOptions({
  columns,
  json,
  numeric,
  raw = false,
}: SheetOptions): TextOptions[] {
  return columns.map((_, index) => ({
    isNumeric: numeric?.has(index) ?? false,
    isJson: json?.has(index) ?? false,
    raw,
  }))
}

/**
 * The text of a cell in a spreadsheet, such that none is taken as a formula; null for an empty cell. [D2]
 */
export function cellText(cell: Cell, { isJson, isNumeric, raw }: TextOptions): string | null {
  if (cell === null || cell === undefined) return null
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell)
  const text = typeof cell === 'string' && !isJson ? cell : writeJson(cell)
  const isPlain = raw || (isNumeric && NUMERAL.test(text))
  return isPlain ? text : escapeFormula(text)
}

/** A plain decimal numeral, as REST writes large integers and decimals */
export const NUMERAL = /^-?\d+(?:\.\d+)?$/
