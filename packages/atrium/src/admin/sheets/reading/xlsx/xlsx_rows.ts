import type { FileShape } from '../../file_shape.js'
import type { SheetRow } from './sheet_rows.js'
import type { Outline } from './workbook.js'
import { upTo } from '../decoded_text.js'
import { ZipParts } from './xlsx_parts.js'

/**
 * The rows of a sheet of an XLSX file, without empty ones. Texts are as the file has them, booleans are booleans,
 * numbers are their digits, moments are in ISO format.
 *
 * @param chosen  `sheet`: the name; default: the first one that is not hidden. `heading`: the row from which on cells
 *   beyond its width count as one; default: the first one
 * @param mostBytes  of the sheet that are read
 * @throws ReadingLimit  beyond them
 * @throws FileError
 */
export async function* xlsxRows(
  path: string,
  { sheet, heading = 1 }: Pick<FileShape, 'sheet' | 'heading'> = {},
  mostBytes = Infinity
): AsyncGenerator<SheetRow> {
  /* Loaded with the first file, as the library's modules take a part of the server's start */
  const { readWorkbook } = await import('./workbook.js')
  const { sheetRows } = await import('./sheet_rows.js')
  const parts = await ZipParts.open(path)
  try {
    const workbook = await readWorkbook(parts, sheet)
    yield* sheetRows(upTo(mostBytes, parts.read(workbook.part)), workbook, heading)
  } finally {
    parts.close()
  }
}

/**
 * The sheets of an XLSX file, and how it counts days.
 *
 * @param sheet  name of the wanted one; default: the first one that is not hidden
 * @throws FileError
 */
export async function xlsxSheets(
  path: string,
  sheet?: string
): Promise<Pick<Outline, 'sheet' | 'sheets' | 'isFrom1904'>> {
  const { readOutline } = await import('./workbook.js')
  const parts = await ZipParts.open(path)
  try {
    return await readOutline(parts, sheet)
  } finally {
    parts.close()
  }
}
