import { stringify } from 'csv-stringify/sync'
import { escapeFormula } from '#base/values/formula'
import { writeJson } from '#base/values/json'
import type { Cell } from '../file_shape.js'
import type { SheetOptions, Batches } from './batched_rows.js'

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

const BYTE_ORDER_MARK = '\uFEFF'

/*
 * An empty text, what readers trim, and all delimiters, so that the file's own is found
 */
const QUOTED = /^$|[\r\n,;\t|]|^\s|\s$/

/**
 * A table as a CSV file: RFC 4180; null is an empty cell, an empty text `""`. [D2]
 */
export async function* csvText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
  const { bom = false, columns, delimiter = ',' } = options
  const heading = columns.map((name) => cellText(name, headingOptions(options)))
  yield (bom ? BYTE_ORDER_MARK : '') + lines([heading], delimiter)
  const kinds = columnOptions(options)
  for await (const rows of batches) {
    const texts = rows.map((row) => kinds.map((kind, index) => cellText(row[index], kind)))
    yield lines(texts, delimiter)
  }
}

function lines(rows: ReadonlyArray<Array<string | null>>, delimiter: string): string {
  return stringify(rows as Array<Array<string | null>>, {
    delimiter,
    record_delimiter: 'windows',
    quoted_match: QUOTED,
  })
}
