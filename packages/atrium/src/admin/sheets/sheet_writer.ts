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

/**
 * Writes a table, row by row. [D2]
 */
export interface SheetWriter {
  /**
   * Resolves when more can be taken.
   *
   * @param cells  in the order of the columns: booleans and numbers as they are, objects become JSON in CSV and XLSX
   * @throws Error  that of the output; FileError for more rows or columns than the format has
   */
  write(cells: readonly Cell[]): Promise<void>
  /**
   * Completes the table and ends the output; resolves when the output has taken all of it.
   *
   * @throws Error  as `write`
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

/**
 * A table of a format; memory does not grow with its rows.
 */
export function sheetWriter(
  format: FileFormat,
  output: Writable,
  options: SheetOptions
): SheetWriter {
  return new BatchedRows((batches) => MAKERS[format](batches, options), output)
}
