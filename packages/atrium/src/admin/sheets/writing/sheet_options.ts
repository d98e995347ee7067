export interface SheetOptions {
  /** The heading; in NDJSON and JSON the names */
  columns: readonly string[]
  /**
   * Positions of columns that hold numbers: their texts (large integers, decimals) are written as they are, as no
   * spreadsheet takes a plain numeral as a formula
   */
  numeric?: ReadonlySet<number>
  /** Positions of columns that hold JSON: their texts are written as JSON in CSV and XLSX, too */
  json?: ReadonlySet<number>
  /** True for a byte order mark before a CSV file */
  bom?: boolean
  /** Between the columns of a CSV file. Default: a comma */
  delimiter?: string
  /** True to leave texts as they are that a spreadsheet would take as a formula */
  raw?: boolean
}
