import type { Writable } from 'node:stream'
import type { FileFormat, Cell } from './file_shape.js'
import {
  BatchedRows,
  type Batches,
  jsonText,
  ndjsonText,
  type SheetOptions,
  csvText,
} from './writing/text_rows.js'
import { xlsxBytes } from './writing/xlsx_bytes.js'

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
