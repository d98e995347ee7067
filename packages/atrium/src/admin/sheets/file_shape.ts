/** File formats of tables, which an export writes and an import reads. */
export const FILE_FORMATS = ['csv', 'ndjson', 'json', 'xlsx'] as const

export type FileFormat = (typeof FILE_FORMATS)[number]

/** Media types of the formats, without parameters. */
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
 * A value of a file. In CSV and XLSX: the text; null for an empty cell, `''` for an empty text (`""` in CSV, an empty
 * string cell in XLSX). In XLSX, booleans are also possible, numbers are texts with all their digits, and dates are
 * texts in ISO format. In NDJSON and JSON: the value; a number that JavaScript would round is a text with its digits;
 * `undefined` means that the object does not have the property.
 */
export type Cell = string | number | boolean | null | object | undefined

/** A record of a file. */
export interface FileRow {
  /**
   * Position of the beginning of the row: line number, counted from 1; row number in a sheet; number of the object in a
   * JSON array
   */
  line: number
  /** Cells in the order of the file's columns, one for each column */
  cells: Cell[]
  /** Reason why this row cannot be read as a row of the table, although the rest of the file can */
  error?: { key: string; data: Record<string, unknown> }
  /** Cells whose value is unknown */
  cellErrors?: CellError[]
}

/** Reason why the value of a cell is unknown, although the cell has one. */
export interface CellError {
  /** Position of the column */
  index: number
  /** True if the error applies only to text columns, because number columns are not more exact */
  isOfText: boolean
  key: string
  data: Record<string, unknown>
}

/** A row at the beginning of a file, which can be the heading. */
export interface FirstRow {
  /** Line as in `FileRow` */
  line: number
  /** First values of the row, shortened */
  text: string
}

export interface Sheet {
  name: string
  isHidden: boolean
}

/** Format and columns of a file, which are detected before the rows are read. Can be stored as JSON. */
export interface FileShape {
  format: FileFormat
  /** For example `utf-8`; null for XLSX */
  encoding: string | null
  /** True if the encoding is a guess, because the file does not specify one and is not in UTF-8 */
  isGuess: boolean
  /** Delimiter of CSV; null for other formats */
  delimiter: string | null
  /** For CSV and XLSX: line or row of the heading; rows above it are ignored. Default: the first one */
  heading?: number
  /** For CSV and XLSX: rows that can be selected as the heading */
  firstRows?: FirstRow[]
  /** Name of the sheet */
  sheet?: string
  sheets?: Sheet[]
  /** True for a workbook whose serial numbers of days count from 1904 */
  isFrom1904?: boolean
  /** Names in the heading, without the apostrophes of `escapeFormula` */
  columns: string[]
  /** Cells of the first five rows, with long values shortened */
  samples: Cell[][]
  /** Cells that the user has corrected; default: none */
  corrections?: Corrections
}

/**
 * Texts that replace cells of a file, by line of the row and position of the column. An empty text is an empty cell.
 */
export type Corrections = Readonly<Record<number, Readonly<Record<number, string>>>>

/** Settings that the user has selected instead of the detected ones. */
export interface ChosenShape {
  format?: FileFormat
  encoding?: string
  delimiter?: string
  /** Name of a workbook's sheet */
  sheet?: string
  /** Line or row number of the heading */
  heading?: number
}

/* Limits of a sheet in Excel; other programs have no higher limits. */
export const MOST_COLUMNS = 16_384
export const MOST_ROWS = 1_048_576
/** Maximum length of a cell in UTF-16 units; Excel reports a file with longer cells as damaged and shortens them */
export const LONGEST_CELL = 32_767

/**
 * Maximum number of columns of an imported file, and maximum length of a column name; the page has form fields for each
 * column
 */
export const MOST_NAMES = 1000
export const LONGEST_NAME = 1000

/**
 * Part of a file that is read in the upload request, to detect columns and show values. The limit of a sheet is higher,
 * because a row can have thousands of empty cells.
 */
export const SAMPLED = { bytes: 2 * 1024 * 1024, sheetBytes: 16 * 1024 * 1024, rows: 1000 }
