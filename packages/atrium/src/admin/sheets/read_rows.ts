import { unescapeFormula } from '#base/values/formula'
import { ReadingLimit } from '../errors.js'
import type { Cell, FileRow, FileShape } from './file_shape.js'
import { csvRecords } from './reading/csv_records.js'
import { jsonRecords } from './reading/json_list.js'
import { ndjsonRecords } from './reading/json_records.js'
import { objectRow, tableRow } from './reading/table_row.js'
import type { SheetRow } from './reading/xlsx/sheet_rows.js'
import { xlsxRows } from './reading/xlsx/xlsx_rows.js'

/** Limits of what is read: of rows, empty ones included, and of bytes */
export interface ReadingBounds {
  rows?: number
  bytes?: number
  /** Unpacked, of a sheet */
  sheetBytes?: number
}

/**
 * The records of a file in order, without the heading; memory is flat. Rows without any value are left out. [D3]
 *
 * @throws ReadingLimit  beyond the bounds
 * @throws FileFault  with the line for a file that can't be read further, such as one that was cut
 */
export async function* readRows(
  path: string,
  shape: FileShape,
  { bytes, rows = Infinity, sheetBytes }: ReadingBounds = {}
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
      throw new ReadingLimit('sheets.fault.manyRows', { most }, record.line)
    yield record
  }
}

function rowOf(
  { cells, cellFaults, line }: SheetRow,
  columns: number,
  isSheet: boolean
): FileRow | null {
  const row = tableRow(line, cells.map(asWritten), columns, isSheet)
  if (!cellFaults) return row
  const whole = row ?? { line, cells: Array.from({ length: columns }, () => null) }
  return { ...whole, cellFaults }
}

/** The text without the apostrophe that keeps spreadsheets from running it. [D2] */
function asWritten(cell: Cell): Cell {
  return typeof cell === 'string' ? unescapeFormula(cell) : cell
}
