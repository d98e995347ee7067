import { parse } from 'csv-parse/sync'

/** Delimiters of CSV, the one that wins among equals first */
export const DELIMITERS = [',', ';', '\t', '|'] as const

export function isDelimiter(text: unknown): boolean {
  return DELIMITERS.includes(text as ',')
}

const SAMPLE = 256 * 1024
const MOST_RECORDS = 100

/** The line ends of a CSV file, in any mixture */
export const LINE_ENDS = ['\r\n', '\n', '\r']

/**
 * Finds the delimiter of a CSV file: the one by which most of the first records have as many cells as the heading.
 * csv-parse's own `delimiter_auto` counts letters, also those inside of quoted cells.
 *
 * @param start  of the file
 */
export function findDelimiter(start: string): string {
  const sample = start.slice(0, SAMPLE)
  const found = DELIMITERS.map((delimiter) => ({ delimiter, score: scoreOf(sample, delimiter) }))
  return found.toSorted((one, other) => other.score - one.score)[0].delimiter
}

/** 0 if there is but one column; else the part of the records that fits the heading, and a little for each column. */
function scoreOf(sample: string, delimiter: string): number {
  const records: string[][] = []
  const keep = (record: string[]) => {
    if (records.length < MOST_RECORDS) records.push(record)
    return null
  }
  try {
    parse(sample, {
      delimiter,
      record_delimiter: LINE_ENDS,
      relax_column_count: true,
      skip_empty_lines: true,
      to: MOST_RECORDS,
      on_record: keep,
    })
  } catch {
    /* The sample ends within a record, or these are no quotes by this delimiter. */
  }
  const [heading] = records
  if (!heading || heading.length < 2) return 0
  const fitting = records.filter(({ length }) => length === heading.length).length
  return fitting / records.length + Math.min(heading.length, 100) / 10_000
}
