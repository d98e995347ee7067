import { unescapeFormula } from '#crud/internals'
import type { Cell, FileRow, FileShape } from './file_shape.js'
import { csvRecords } from './reading/csv_records.js'
import { jsonRecords } from './reading/json_list.js'
import { ndjsonRecords } from './reading/json_records.js'
import { objectRow, tableRow } from './reading/table_row.js'
import { xlsxRows } from './reading/xlsx/xlsx_rows.js'

/**
 * The records of a file in order, without the heading; memory is flat. Rows without any value are left out. [D3]
 *
 * @throws FileFault  with the line for a file that can't be read further, such as one that was cut
 */
export async function* readRows(path: string, shape: FileShape): AsyncGenerator<FileRow> {
  const { columns, encoding, format } = shape
  if (format === 'ndjson' || format === 'json') {
    const read = format === 'json' ? jsonRecords : ndjsonRecords
    for await (const { line, object } of read(path, encoding ?? 'utf-8')) {
      yield objectRow(line, object, columns)
    }
    return
  }
  const isSheet = format === 'xlsx'
  let isHeading = true
  for await (const { line, cells } of isSheet ? xlsxRows(path) : csvRecords(path, shape)) {
    const row = isHeading ? null : tableRow(line, cells.map(asWritten), columns.length, isSheet)
    isHeading = false
    if (row) yield row
  }
}

/** The text without the apostrophe that keeps spreadsheets from running it. [D2] */
function asWritten(cell: Cell): Cell {
  return typeof cell === 'string' ? unescapeFormula(cell) : cell
}
