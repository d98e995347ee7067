import type { Writable } from 'node:stream'
import { type FileFormat, type Cell, LONGEST_CELL, MOST_COLUMNS, MOST_ROWS } from './file_shape.js'
import {
  BatchedRows,
  type Batches,
  jsonText,
  ndjsonText,
  type SheetOptions,
  csvText,
  cellText,
  columnOptions,
  headingOptions,
  NUMERAL,
  type TextOptions,
} from './writing/text_rows.js'
import { FileError } from '../jobs/job_errors.js'

type SheetCell = string | number | boolean | null

/** Maximum number of digits that spreadsheets store. */
const MOST_DIGITS = 15

/** Texts that the format would interpret as a character code, and characters that XML cannot contain */
const ESCAPED = /_(?=x[\dA-F]{4})|[\uFFFE\uFFFF]|\p{Surrogate}/giu

/**
 * Yields a table as an XLSX file with one sheet. Null is not written as a cell, an empty text is a cell with an empty
 * text. Texts stay texts, and so do numbers with more digits than a spreadsheet stores.
 *
 * @throws FileError  for more rows or columns, or a longer text, than a sheet can have
 */
async function* xlsxBytes(batches: Batches, options: SheetOptions): AsyncGenerator<Uint8Array> {
  const { length } = options.columns
  if (length > MOST_COLUMNS) {
    throw new FileError('sheets.errors.sheetColumns', { most: MOST_COLUMNS })
  }
  /* Loaded with the first file, because loading the modules would slow down the start of the server */
  const { writeXlsxStream } = await import('hucre/xlsx')
  yield* writeXlsxStream(rowsOf(batches, options), {
    name: 'Sheet1',
    freezePane: { rows: 1 },
    zip64: true,
  })
}

async function* rowsOf(batches: Batches, options: SheetOptions): AsyncGenerator<SheetCell[]> {
  yield options.columns.map((name) => sheetCell(name, headingOptions(options)))
  const kinds = columnOptions(options)
  const { columns } = options
  let count = 1
  for await (const rows of batches) {
    if (count + rows.length > MOST_ROWS) {
      throw new FileError('sheets.errors.sheetRows', { most: MOST_ROWS - 1 })
    }
    for (const row of rows) {
      count++
      const cells = kinds.map((kind, index) => sheetCell(row[index], kind))
      const long = cells.findIndex((cell) => typeof cell === 'string' && cell.length > LONGEST_CELL)
      if (long !== -1) {
        const place = { row: count, column: columns[long], most: LONGEST_CELL }
        throw new FileError('sheets.errors.sheetCell', place)
      }
      yield cells
    }
  }
}

function sheetCell(cell: Cell, kind: TextOptions): SheetCell {
  if (typeof cell === 'boolean') return cell
  if (typeof cell === 'number' && !(Number.isInteger(cell) && isLong(String(cell)))) return cell
  const text = cellText(cell, kind)
  if (text === null) return null
  if (kind.isNumeric && NUMERAL.test(text) && !isLong(text) && isSame(text)) return Number(text)
  return text.replace(ESCAPED, codeOf)
}

function isLong(numeral: string): boolean {
  return numeral.replace(/^-?0*|\D/g, '').length > MOST_DIGITS
}

/** Returns false for `007`, `1.50` and `-0`, which would lose zeros or the sign as numbers. */
function isSame(numeral: string): boolean {
  return String(Number(numeral)) === numeral
}

function codeOf(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return `_x${code}_`
}

export type { SheetOptions }

/** Writes a table, row by row. */
export interface SheetWriter {
  /**
   * Writes a row. Resolves when the next row can be written.
   *
   * @param cells  cells in the order of the columns: booleans and numbers are written unchanged, objects become JSON in
   *   CSV and XLSX
   * @throws Error  error of the output; FileError for more rows or columns than the format supports
   */
  write(cells: readonly Cell[]): Promise<void>
  /**
   * Completes the table and ends the output. Resolves when the output has accepted everything.
   *
   * @throws Error  as in `write`
   */
  end(): Promise<void>
}

type Make = (batches: Batches, options: SheetOptions) => AsyncIterable<string | Uint8Array>

const MAKERS: Readonly<Record<FileFormat, Make>> = {
  csv: csvText,
  ndjson: ndjsonText,
  json: jsonText,
  xlsx: xlsxBytes,
}

/** Returns a writer for a format. The memory does not grow with the number of rows. */
export function sheetWriter(
  format: FileFormat,
  output: Writable,
  options: SheetOptions
): SheetWriter {
  return new BatchedRows((batches) => MAKERS[format](batches, options), output)
}
