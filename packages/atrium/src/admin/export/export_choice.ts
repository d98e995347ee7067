import { ExportRefused } from '../errors.js'
import { SELECTED } from './selected_records.js'
import { FILE_FORMATS, isFileFormat, type FileFormat } from '../sheets/file_format.js'

/** The value of `columns` that stands for all that responses hold */
export const ALL_FIELDS = '*'

const SWITCHES = ['bom', 'raw', 'labels', 'titles'] as const

/** Parameters of an export in addition to the list's query; no list has parameters of these names. */
const OWN: readonly string[] = ['format', SELECTED, ...SWITCHES]

/**
 * How an export is written. [D2]
 */
export interface ExportChoice {
  format: FileFormat
  /** A byte order mark before a CSV file */
  bom: boolean
  /** Texts as they are, formulas too */
  raw: boolean
  /** Labels in the heading of CSV and XLSX, in the place of API names */
  labels: boolean
  /** Titles of references, in columns of their own */
  titles: boolean
}

/**
 * The parts of an export's query.
 */
export interface ExportQuery {
  choice: ExportChoice
  /** The list's part */
  list: string
  /** True for all fields that responses hold, in their order */
  hasAllFields: boolean
  /** Paths of the records that were selected in the list; null: all of its records */
  selected: string[] | null
}

/**
 * Splits the query of an export into its own parameters and those of the list.
 *
 * @param query  with or without its question mark
 * @throws ExportRefused 422
 */
export function readExport(query: string): ExportQuery {
  const given = new URLSearchParams(query)
  const format = given.getAll('format').at(-1) ?? ''
  if (!isFileFormat(format)) {
    throw new ExportRefused('export.fault.format', { formats: FILE_FORMATS.join(', ') })
  }
  const isOn = (name: string) => readSwitch(name, given.getAll(name).at(-1) ?? '')
  const choice = {
    format,
    bom: isOn('bom'),
    raw: isOn('raw'),
    labels: isOn('labels'),
    titles: isOn('titles'),
  }
  return { choice, ...listPart(query) }
}

/**
 * The list's part of an export's query.
 */
export function listPart(query: string): Omit<ExportQuery, 'choice'> {
  const given = new URLSearchParams(query)
  const selected = given.has(SELECTED) ? given.getAll(SELECTED) : null
  for (const name of OWN) given.delete(name)
  const hasAllFields = given.getAll('columns').includes(ALL_FIELDS)
  if (hasAllFields) given.delete('columns')
  return { list: given.toString(), hasAllFields, selected }
}

function readSwitch(name: string, text: string): boolean {
  if (text === '1' || text === 'true') return true
  if (text === '' || text === '0' || text === 'false') return false
  throw new ExportRefused('export.fault.switch', { name })
}
