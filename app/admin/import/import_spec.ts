import type { AdminSite } from '../admin_site.js'
import type { ImportMapping, ImportOptions } from '../models/admin_import.js'
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
}

/**
 * @throws ImportRefused  for a mapping that the importer may not use, by now
 */
export async function importSpec(
  site: AdminSite,
  importer: Importer,
  { columns: headings, format }: FileShape,
  chosen: { mapping: ImportMapping; key: string | null; options: ImportOptions }
): Promise<ImportSpec> {
  const fields = await knownFields(site, importer)
  const { key, mapping } = checkColumns(importer.view.resource, fields, headings.length, chosen)
  const columns = mapping.columns.flatMap((name, index): MappedColumn[] => {
    const field = fields.find((one) => one.name === name)
    return field ? [{ index, field, byTitle: mapping.by[index] === 'title' }] : []
  })
  return { importer, columns, key, options: chosen.options, format }
}
