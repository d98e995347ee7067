import type { SheetRow } from './sheet_rows.js'
import { ZipParts } from './zip_parts.js'

/**
 * The rows of the first sheet of an XLSX file, without empty ones: the heading first. Texts are as the file has them,
 * booleans are booleans, numbers are their digits, moments are in ISO format.
 *
 * @throws FileFault
 */
export async function* xlsxRows(path: string): AsyncGenerator<SheetRow> {
  /* Loaded with the first file, as the library's modules take a part of the server's start */
  const { readWorkbook } = await import('./workbook.js')
  const { sheetRows } = await import('./sheet_rows.js')
  const parts = await ZipParts.open(path)
  try {
    const workbook = await readWorkbook(parts)
    yield* sheetRows(parts.read(workbook.sheet), workbook)
  } finally {
    parts.close()
  }
}
