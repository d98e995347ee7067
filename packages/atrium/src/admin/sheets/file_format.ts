/**
 * Formats of files that are tables: written by an export, read by an import. [D2, D3]
 */
export const FILE_FORMATS = ['csv', 'ndjson', 'json', 'xlsx'] as const

export type FileFormat = (typeof FILE_FORMATS)[number]

/**
 * Media types of the formats, without parameters.
 */
export const MEDIA_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

export function isFileFormat(name: unknown): name is FileFormat {
  return FILE_FORMATS.includes(name as FileFormat)
}
