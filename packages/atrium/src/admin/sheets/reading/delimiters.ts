import { parse } from 'csv-parse/sync'

/** Delimiters of CSV, in order of preference among equal candidates */
export const DELIMITERS = [',', ';', '\t', '|'] as const

export function isDelimiter(text: unknown): boolean {
  return DELIMITERS.includes(text as ',')
}

/** Line by which Excel specifies the delimiter of the following lines */
const NAMED = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r)/i

/** Returns the delimiter that the first line of a file specifies, such as `sep=;`; null for other files. */
export function namedDelimiter(start: string): string | null {
  return NAMED.exec(start)?.[1] ?? null
}

const SAMPLE = 256 * 1024
const MOST_RECORDS = 100

/** Line ends of a CSV file, which can be mixed */
export const LINE_ENDS = ['\r\n', '\n', '\r']

/**
 * Detects the delimiter of a CSV file: the one with which most of the first records have as many cells as the first
 * record with several cells. csv-parse's `delimiter_auto` is not used because it also counts characters within quoted
 * cells.
 *
 * @param start  beginning of the file
 */
export function findDelimiter(start: string): string {
  const sample = start.slice(0, SAMPLE)
  /*
   * Quotation marks within cells are accepted only if no delimiter fits otherwise, as a wrong delimiter often causes
   * them.
   */
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

/**
 * Returns 0 if there is only one column; otherwise the fraction of records that match the heading, plus a small amount
 * for each column.
 */
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
    /* The sample ends within a record, or the quotation marks are invalid with this delimiter. */
  }
  /* Skips lines above the heading, which have one cell. */
  const heading = records.find(({ length }) => length > 1)
  if (!heading) return 0
  const fitting = records.filter(({ length }) => length === heading.length).length
  return fitting / records.length + Math.min(heading.length, 100) / 10_000
}
