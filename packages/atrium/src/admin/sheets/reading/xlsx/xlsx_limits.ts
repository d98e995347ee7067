/*
 * Limits of what a file of 100 MB may become when it is unpacked, so that a small one can't take the memory or the time of the
 * server.
 */

export const MOST_ENTRIES = 10_000

/** Bytes of all parts together */
export const MOST_UNPACKED = 2 * 1024 * 1024 * 1024

/** Bytes of parts that are held in memory, each: styles, relations, the workbook */
export const MOST_KEPT = 16 * 1024 * 1024

/** Bytes that the table of shared strings may take in memory */
export const MOST_SHARED = 128 * 1024 * 1024

/** Bytes of the table of shared strings in the file, which is read before the first row: about three seconds */
export const MOST_SHARED_XML = 256 * 1024 * 1024

/** How many times as large a part may become; sheets with the same text in every cell reach 150 */
export const MOST_RATIO = 400

/** Bytes below which a part may have any ratio */
export const SMALL = 8 * 1024 * 1024

/** Letters of one cell */
export const LONGEST_TEXT = 4 * 1024 * 1024

/** Letters of all cells of a row */
export const LONGEST_ROW = 64 * 1024 * 1024

/** Letters of one tag */
export const LONGEST_TAG = 4 * 1024 * 1024

/** Elements within each other; spreadsheets write about ten */
export const DEEPEST_XML = 200

/** Sheets of a workbook, and letters of the name of one: spreadsheets take 31 */
export const MOST_SHEETS = 1000
export const LONGEST_SHEET = 255
