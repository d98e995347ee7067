import { parse } from 'csv-parse/sync'

/** Delimiters of CSV, the one that wins among equals first */
export const DELIMITERS = [',', ';', '\t', '|'] as const

export function isDelimiter(text: unknown): boolean {
  return DELIMITERS.includes(text as ',')
}

/** The line with which Excel names the delimiter of the lines after it */
const NAMED = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r)/i

/** The delimiter that a file names in its first line, as in `sep=;`; null for other files. */
export function namedDelimiter(start: string): string | null {
  return NAMED.exec(start)?.[1] ?? null
}

const SAMPLE = 256 * 1024
const MOST_RECORDS = 100

/** The line ends of a CSV file, in any mixture */
export const LINE_ENDS = ['\r\n', '\n', '\r']

/**
 * Finds the delimiter of a CSV file: the one by which most of the first records have as many cells as the
 * first record with several. csv-parse's own `delimiter_auto` counts letters, also those inside of quoted cells.
 *
 * @param start  of the file
 */
export function findDelimiter(start: string): string {
  const sample = start.slice(0, SAMPLE)
  /* By a wrong delimiter, quotation marks are often within cells. */
  return best(sample, false) ?? best(sample, true) ?? DELIMITERS[0]
}

function best(sample: string, relax: boolean): string | null {
  const found = DELIMITERS.map((delimiter) => ({
    delimiter,
    score: scoreOf(sample, delimiter, relax),
  }))
  const [{ delimiter, score }] = found.toSorted((one, other) => other.score - one.score)
  return score > 0 ? delimiter : null
}

/** 0 if there is but one column; else the part of the records that fits the heading, and a little for each column. */
function scoreOf(sample: string, delimiter: string, relax: boolean): number {
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
      relax_quotes: relax,
      to: MOST_RECORDS,
      on_record: keep,
    })
  } catch {
    /* The sample ends within a record, or these are not quotes by this delimiter. */
  }
  /* Lines above the heading have one cell. */
  const heading = records.find(({ length }) => length > 1)
  if (!heading) return 0
  const fitting = records.filter(({ length }) => length === heading.length).length
  return fitting / records.length + Math.min(heading.length, 100) / 10_000
}
