import type { Resource } from '#crud'
import { ImportRefused } from './import_access.js'
import type { FixedValue, ImportMapping, ImportOptions, DryRun } from '../models/admin_import.js'
import { DATE_ORDERS, type DateOrder } from '../sheets/date_order.js'
import { isTimeZone } from '../time/time_zone.js'
import type { Site } from '../views/site.js'
import type { FileFormat, FileShape } from '../sheets/file_shape.js'
import { type KnownField, knownFields, type Importer } from './import_fields.js'

/** A mapping with the fields that it contains. */
interface CheckedColumns {
  mapping: ImportMapping
  key: readonly KnownField[]
}

/**
 * Checks the mapping of columns to fields.
 *
 * @param count  number of columns of the file
 * @throws ImportRefused  for a field that the importer is not allowed to import, a field of two columns or of a column
 *   and a fixed value, a key that does not identify a single record, and required fields without a column if all rows
 *   are new records
 */
export function checkColumns(
  resource: Resource,
  fields: readonly KnownField[],
  count: number,
  { mapping, key }: { mapping: ImportMapping; key: string | null }
): CheckedColumns {
  const columns = Array.from({ length: count }, (_, index) => mapping.columns[index] || null)
  const named = columns.filter((name) => name !== null)
  if (named.length === 0) throw new ImportRefused('import.refused.nothing')
  for (const name of named) {
    if (!fields.some((field) => field.name === name)) {
      throw new ImportRefused('import.refused.unknownField', { field: shortened(name) })
    }
    if (named.indexOf(name) !== named.lastIndexOf(name)) {
      throw new ImportRefused('import.refused.twice', { field: labelOf(fields, name) })
    }
  }
  const values = checkedValues(fields, named, mapping.values)
  const keyFields = keyOf(resource, fields, named, key)
  if (keyFields.length === 0) checkRequired(fields, [...named, ...Object.keys(values ?? {})])
  const by = referencesBy(fields, columns, mapping)
  return { mapping: { columns, by, ...(values && { values }) }, key: keyFields }
}

function checkedValues(
  fields: readonly KnownField[],
  named: readonly string[],
  values: ImportMapping['values'] = {}
): Record<string, FixedValue> | undefined {
  for (const name of Object.keys(values)) {
    const field = fields.find((one) => one.name === name)
    if (!field || !isFixable(field)) {
      throw new ImportRefused('import.refused.unknownField', { field: shortened(name) })
    }
    if (named.includes(name))
      throw new ImportRefused('import.refused.fixed', { field: field.label })
  }
  return Object.keys(values).length > 0 ? values : undefined
}

/** Returns whether a field can have the same value in every row, which is stored with the import and shown. */
export function isFixable({ column, isOnlyKey, isUniqueKey }: KnownField): boolean {
  return column !== undefined && !column.hidden && !isOnlyKey && !isUniqueKey
}

/** @throws ImportRefused  for an unknown order */
export function checkDateOrder(order: unknown): asserts order is ImportOptions['dateOrder'] {
  if (order === null || DATE_ORDERS.includes(order as never)) return
  throw new ImportRefused('import.refused.dateOrder', { order: shortened(String(order)) })
}

/** @throws ImportRefused  for an unknown time zone */
export function checkZone(zone: string): void {
  if (!isTimeZone(zone)) throw new ImportRefused('import.refused.zone', { zone: shortened(zone) })
}

function keyOf(
  { key: primary, wholeKeys }: Resource,
  fields: readonly KnownField[],
  named: readonly string[],
  key: string | null
): KnownField[] {
  if (key === null || key === '') return []
  const names = key.split(',').map((name) => name.trim())
  const found = names.map((name) => {
    const field = fields.find((one) => one.name === name)
    if (!field?.column || field.column.hidden) {
      throw new ImportRefused('import.refused.unknownKey', { field: shortened(name) })
    }
    if (!named.includes(name)) {
      throw new ImportRefused('import.refused.keyNotMapped', { field: field.label })
    }
    return field
  })
  const columns = new Set(found.map(({ column }) => column!.name))
  const isSame = (group: readonly string[]) =>
    group.length === columns.size && group.every((name) => columns.has(name))
  const isUnique =
    isSame(primary.columns.map(({ name }) => name)) || wholeKeys.some((group) => isSame(group))
  if (!isUnique) {
    const label = found.map((field) => field.label).join(', ')
    throw new ImportRefused('import.refused.notUnique', { field: label })
  }
  return found
}

function checkRequired(fields: readonly KnownField[], named: readonly string[]): void {
  const missing = fields.filter(({ name, required }) => required && !named.includes(name))
  if (missing.length === 0) return
  const labels = missing.map(({ label }) => label).join(', ')
  throw new ImportRefused('import.refused.required', { fields: labels, count: missing.length })
}

function referencesBy(
  fields: readonly KnownField[],
  columns: ReadonlyArray<string | null>,
  { by }: ImportMapping
): ImportMapping['by'] {
  const checked: ImportMapping['by'] = {}
  columns.forEach((name, index) => {
    const field = fields.find((one) => one.name === name)
    if (!field?.isReference) return
    if (by[index] === 'title' && !field.hasTitles) {
      throw new ImportRefused('import.refused.noTitles', { field: field.label })
    }
    checked[index] = by[index] === 'title' ? 'title' : 'key'
  })
  return checked
}

function labelOf(fields: readonly KnownField[], name: string): string {
  return fields.find((field) => field.name === name)?.label ?? name
}

/* Shortens a name from the request, because the error message repeats it. */
function shortened(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name
}

/** Mapping of a column of the file to a field. */
export interface MappedColumn {
  /** Position of the column in the file */
  index: number
  field: KnownField
  byTitle: boolean
  /** Detected from the values of the column; undefined: unknown */
  dateOrder?: DateOrder
}

/** Settings of an import that determine how rows are read and written. */
export interface ImportSpec {
  importer: Importer
  columns: readonly MappedColumn[]
  /** Values of every row, by API name */
  values: Readonly<Record<string, unknown>>
  /** Fields that identify the record of a row; empty: all rows are new */
  key: readonly KnownField[]
  options: ImportOptions
  format: FileFormat
  /** True for a workbook that counts days from 1904 */
  isFrom1904: boolean
}

/** @throws ImportRefused  for a mapping that the importer is no longer allowed to use */
export async function importSpec(
  site: Site,
  importer: Importer,
  { columns: headings, format, isFrom1904 = false }: FileShape,
  chosen: {
    mapping: ImportMapping
    key: string | null
    options: ImportOptions
    dryRun?: Pick<DryRun, 'dates'> | null
  }
): Promise<ImportSpec> {
  const fields = await knownFields(site, importer)
  const { key, mapping } = checkColumns(importer.view.resource, fields, headings.length, chosen)
  const columns = mapping.columns.flatMap((name, index): MappedColumn[] => {
    const field = fields.find((one) => one.name === name)
    if (!field) return []
    const found = chosen.dryRun?.dates?.find((one) => one.field === name)
    const byTitle = mapping.by[index] === 'title'
    return [{ index, field, byTitle, dateOrder: found?.order ?? undefined }]
  })
  const values = Object.fromEntries(
    Object.entries(mapping.values ?? {}).map(([name, { value }]) => [name, value])
  )
  return { importer, columns, values, key, options: chosen.options, format, isFrom1904 }
}
