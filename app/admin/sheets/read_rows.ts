import { unescapeFormula } from '#crud/internals'
import type { Cell, FileRow, FileShape } from './file_shape.js'
import { csvRecords } from './reading/csv_records.js'
import { jsonRecords } from './reading/json_list.js'
import { ndjsonRecords } from './reading/json_records.js'
import { objectRow, tableRow } from './reading/table_row.js'
import type { SheetRow } from './reading/xlsx/sheet_rows.js'
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
  const { heading = 1 } = shape
  let isHeading = true
  for await (const record of isSheet ? xlsxRows(path, shape) : csvRecords(path, shape)) {
    if (record.line < heading) continue
    const row = isHeading ? null : rowOf(record, columns.length, isSheet)
    isHeading = false
    if (row) yield row
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
