import type { FileShape } from '../../file_shape.js'
import type { SheetRow } from './sheet_rows.js'
import type { Outline } from './workbook.js'
import { upTo } from '../decoded_text.js'
import { ZipParts } from './xlsx_parts.js'

/**
 * Yields the rows of a sheet of an XLSX file, without empty rows. Texts and booleans are unchanged, numbers are texts
 * with their digits, dates and times are in ISO format.
 *
 * @param chosen  `sheet`: name of the sheet; default: the first visible sheet. `heading`: row from which on cells
 *   beyond the width of the heading count as a single one; default: the first one
 * @param mostBytes  maximum bytes of the sheet
 * @throws ReadingLimit  beyond the maximum
 * @throws FileError
 */
export async function* xlsxRows(
  path: string,
  { sheet, heading = 1 }: Pick<FileShape, 'sheet' | 'heading'> = {},
  mostBytes = Infinity
): AsyncGenerator<SheetRow> {
  /* Loaded with the first file, because loading the library's modules would slow down the start of the server */
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
 * Returns the sheets of an XLSX file, and whether days count from 1904.
 *
 * @param sheet  name of the selected sheet; default: the first visible sheet
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
