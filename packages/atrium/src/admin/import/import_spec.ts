import type { AdminSite } from '../admin_site.js'
import type { ImportMapping, ImportOptions, ImportTrial } from '../models/admin_import.js'
import type { DateOrder } from '../sheets/date_order.js'
import type { FileFormat } from '../sheets/file_format.js'
import type { FileShape } from '../sheets/file_shape.js'
import { checkColumns } from './check_columns.js'
import { knownFields, type KnownField } from './import_fields.js'
import type { Importer } from './importer.js'

/** A column of the file and its field. */
export interface MappedColumn {
  /** Position in the file */
  index: number
  field: KnownField
  byTitle: boolean
  /** Found from the values of the column; undefined: not known */
  dateOrder?: DateOrder
}

/**
 * The plan of an import for the rows of its file.
 */
export interface ImportSpec {
  importer: Importer
  columns: readonly MappedColumn[]
  /** Fields by which rows find their records; none: all rows are new */
  key: readonly KnownField[]
  options: ImportOptions
  format: FileFormat
  /** True for a workbook whose days count from 1904 */
  isFrom1904: boolean
}

/**
 * @throws ImportRefused  for a mapping that the importer may not use, by now
 */
export async function importSpec(
  site: AdminSite,
  importer: Importer,
  { columns: headings, format, isFrom1904 = false }: FileShape,
  chosen: {
    mapping: ImportMapping
    key: string | null
    options: ImportOptions
    trial?: Pick<ImportTrial, 'dates'> | null
  }
): Promise<ImportSpec> {
  const fields = await knownFields(site, importer)
  const { key, mapping } = checkColumns(importer.view.resource, fields, headings.length, chosen)
  const columns = mapping.columns.flatMap((name, index): MappedColumn[] => {
    const field = fields.find((one) => one.name === name)
    if (!field) return []
    const found = chosen.trial?.dates?.find((one) => one.field === name)
    const byTitle = mapping.by[index] === 'title'
    return [{ index, field, byTitle, dateOrder: found?.order ?? undefined }]
  })
  return { importer, columns, key, options: chosen.options, format, isFrom1904 }
}
