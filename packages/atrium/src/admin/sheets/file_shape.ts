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

/**
 * A value of a file. CSV and XLSX: the text that the file has, null for an empty cell, `''` for an empty text
 * (`""` in CSV, an empty string cell in XLSX). XLSX also has booleans; numbers are texts with all their digits, and
 * dates are texts in ISO format. NDJSON and JSON: the value; a number that JavaScript would round is its digits as
 * text, and `undefined` is a name that the object does not have.
 */
export type Cell = string | number | boolean | null | object | undefined

/**
 * A record of a file.
 */
export interface FileRow {
  /** Where it begins: the line, counted from 1; the row of a sheet; the number of an object in a JSON list */
  line: number
  /** In the order of the file's columns, as many as there are */
  cells: Cell[]
  /** Why the row can't be read as one of this table, though the rest of the file can */
  error?: { key: string; data: Record<string, unknown> }
  /** Cells whose value is not known */
  cellErrors?: CellError[]
}

/**
 * Why the value of a cell is not known, though the cell has one.
 */
export interface CellError {
  /** Position of the column */
  index: number
  /** True if only a text would be wrong: a number is as exact as its column */
  isOfText: boolean
  key: string
  data: Record<string, unknown>
}

/** A row at the beginning of a file, which may be the heading. */
export interface FirstRow {
  /** As in `FileRow` */
  line: number
  /** Its first values, cut */
  text: string
}

export interface Sheet {
  name: string
  isHidden: boolean
}

/**
 * The format and columns of a file, found before its rows are read. It can be stored as JSON.
 */
export interface FileShape {
  format: FileFormat
  /** As in `utf-8`; null for XLSX */
  encoding: string | null
  /** True if the encoding is only likely: the file says nothing of it, and it is not UTF-8 */
  isGuess: boolean
  /** Of CSV; null for other formats */
  delimiter: string | null
  /** Of CSV and XLSX: the line or row of the heading; rows above it are left out. Default: the first one */
  heading?: number
  /** Of CSV and XLSX: rows that could be the heading */
  firstRows?: FirstRow[]
  /** Name of the sheet, and all that the workbook has */
  sheet?: string
  sheets?: Sheet[]
  /** True for a workbook whose numbers of days count from 1904 */
  isFrom1904?: boolean
  /** The heading, without the apostrophes of `escapeFormula` */
  columns: string[]
  /** The cells of the first five rows; long ones are cut */
  samples: Cell[][]
}

/**
 * Choices of a person in the place of what was found.
 */
export interface ChosenShape {
  format?: FileFormat
  encoding?: string
  delimiter?: string
  /** Name of a workbook's sheet */
  sheet?: string
  /** Line or row of the heading */
  heading?: number
}

/* Limits of a sheet of Excel; other programs take no more. */
export const MOST_COLUMNS = 16_384
export const MOST_ROWS = 1_048_576
/** Characters of a cell, as UTF-16 counts them; Excel calls a file with longer ones damaged, and cuts them */
export const LONGEST_CELL = 32_767

/** Columns of a file that is imported, and characters of the name of one: its page offers fields for each */
export const MOST_NAMES = 1000
export const LONGEST_NAME = 1000

/**
 * The part of a file that is read in the request that uploads it, to find columns and show values. Of a sheet it is more,
 * as a row may have thousands of empty cells.
 */
export const SAMPLED = { bytes: 2 * 1024 * 1024, sheetBytes: 16 * 1024 * 1024, rows: 1000 }
