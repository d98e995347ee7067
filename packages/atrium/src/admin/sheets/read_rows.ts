import { unescapeFormula } from '#base/values/text'
import { ReadingLimit } from '../jobs/job_errors.js'
import type { Cell, Corrections, FileRow, FileShape } from './file_shape.js'
import { csvRecords } from './reading/csv_records.js'
import { jsonRecords, ndjsonRecords } from './reading/json_records.js'
import type { SheetRow } from './reading/xlsx/sheet_rows.js'
import { xlsxRows } from './reading/xlsx/xlsx_rows.js'

/**
 * Converts a record of CSV or a row of a sheet to a row of a table with a number of columns; null if all cells are
 * empty.
 *
 * @param isPadded  true if cells at the end can be missing, as in a sheet
 */
function tableRow(line: number, cells: Cell[], columns: number, isPadded: boolean): FileRow | null {
  if (cells.every((cell) => cell === null)) return null
  const found = cells.length
  if (found > columns && cells.slice(columns).some((cell) => cell !== null)) {
    return { line, cells: cells.slice(0, columns), error: errorOf('longRow', found, columns) }
  }
  if (found < columns) {
    const whole = [...cells, ...Array.from({ length: columns - found }, () => null)]
    return isPadded
      ? { line, cells: whole }
      : { line, cells: whole, error: errorOf('shortRow', found, columns) }
  }
  return { line, cells: cells.slice(0, columns) }
}

function errorOf(name: string, found: number, expected: number) {
  return { key: `sheets.errors.${name}`, data: { found, expected } }
}

/** Converts an object to a row of a table; a property that is not a column is an error. */
function objectRow(
  line: number,
  object: Readonly<Record<string, unknown>>,
  columns: readonly string[]
): FileRow {
  const cells = columns.map((name) => (Object.hasOwn(object, name) ? object[name] : undefined))
  const isKnown = cells.filter((cell) => cell !== undefined).length === Object.keys(object).length
  if (isKnown) return { line, cells: cells as Cell[] }
  const name = Object.keys(object).find((one) => !columns.includes(one))!
  return {
    line,
    cells: cells as Cell[],
    error: { key: 'sheets.errors.unknownName', data: { name } },
  }
}

/** Maximum amount to read: number of rows including empty ones, and number of bytes */
interface ReadingBounds {
  rows?: number
  bytes?: number
  /** Unpacked bytes of a sheet */
  sheetBytes?: number
}

/**
 * Yields the records of a file in order, without the heading, with constant memory, and with the corrections of the
 * user. Rows without any value are skipped.
 *
 * @throws ReadingLimit  beyond the bounds
 * @throws FileError  with the line, for a file that cannot be read further, such as an incomplete one
 */
export function readRows(
  path: string,
  shape: FileShape,
  bounds: ReadingBounds = {}
): AsyncGenerator<FileRow> {
  const rows = storedRows(path, shape, bounds)
  return shape.corrections ? correctedRows(rows, shape.corrections) : rows
}

async function* correctedRows(
  rows: AsyncIterable<FileRow>,
  corrections: Corrections
): AsyncGenerator<FileRow> {
  for await (const row of rows) {
    const texts = corrections[row.line]
    if (!texts) {
      yield row
      continue
    }
    const cells = row.cells.map((cell, index) => {
      return texts[index] === undefined ? cell : texts[index] || null
    })
    const cellErrors = row.cellErrors?.filter(({ index }) => texts[index] === undefined)
    const isEmpty = !cellErrors?.length && cells.every((cell) => cell === null)
    if (!isEmpty) yield { ...row, cells, cellErrors }
  }
}

async function* storedRows(
  path: string,
  shape: FileShape,
  { bytes, rows = Infinity, sheetBytes }: ReadingBounds
): AsyncGenerator<FileRow> {
  const { columns, encoding, format } = shape
  if (format === 'ndjson' || format === 'json') {
    const read = format === 'json' ? jsonRecords : ndjsonRecords
    const objects = read(path, encoding ?? 'utf-8', bytes)
    for await (const { line, object } of bounded(objects, rows)) {
      yield objectRow(line, object, columns)
    }
    return
  }
  const isSheet = format === 'xlsx'
  const { heading = 1 } = shape
  let isHeading = true
  const records = isSheet ? xlsxRows(path, shape, sheetBytes) : csvRecords(path, shape, bytes)
  for await (const record of bounded<SheetRow>(records, rows, heading)) {
    if (record.line < heading) continue
    const row = isHeading ? null : rowOf(record, columns.length, isSheet)
    isHeading = false
    if (row) yield row
  }
}

async function* bounded<One extends { line: number }>(
  records: AsyncIterable<One>,
  most: number,
  others = 0
): AsyncGenerator<One> {
  let count = 0
  for await (const record of records) {
    if (++count > most + others)
      throw new ReadingLimit('sheets.errors.manyRows', { most }, record.line)
    yield record
  }
}

function rowOf(
  { cells, cellErrors, line }: SheetRow,
  columns: number,
  isSheet: boolean
): FileRow | null {
  const row = tableRow(line, cells.map(asWritten), columns, isSheet)
  if (!cellErrors) return row
  const whole = row ?? { line, cells: Array.from({ length: columns }, () => null) }
  return { ...whole, cellErrors }
}

/** Removes the apostrophe that prevents spreadsheets from executing a text as a formula. */
function asWritten(cell: Cell): Cell {
  return typeof cell === 'string' ? unescapeFormula(cell) : cell
}
