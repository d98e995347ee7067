/* Limits of a sheet of Excel; other programs take no more. */
export const MOST_COLUMNS = 16_384
export const MOST_ROWS = 1_048_576
/** Characters of a cell, as UTF-16 counts them; Excel calls a file with longer ones damaged, and cuts them */
export const LONGEST_CELL = 32_767

/** Columns of a file that is imported, and letters of the name of one: its page offers fields for each */
export const MOST_NAMES = 1000
export const LONGEST_NAME = 1000

/**
 * The part of a file that is read in the request that uploads it, to find columns and show values. Of a sheet it is more,
 * as a row may have thousands of empty cells.
 */
export const SAMPLED = { bytes: 2 * 1024 * 1024, sheetBytes: 16 * 1024 * 1024, rows: 1000 }
