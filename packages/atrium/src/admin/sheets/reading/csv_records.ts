import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, type Info, parse } from 'csv-parse'
import { FileFault } from '../../errors.js'
import type { FileShape } from '../file_shape.js'
import { MOST_COLUMNS } from '../sheet_limits.js'
import { decodedText } from './decoded_text.js'
import { LINE_ENDS } from './delimiters.js'
import { lineEnds } from './line_counter.js'
import { QuoteScanner } from './quote_scanner.js'

/** A longer record is a quote that was never closed, not a record. */
const LONGEST = 64 * 1024 * 1024

export interface CsvRecord {
  line: number
  /** Null for an empty cell, `''` for an empty text */
  cells: Array<string | null>
}

/**
 * The records of a CSV file in order, the heading first, without blank lines. A quotation mark within a cell that does
 * not begin with one is a character like others.
 *
 * @throws FileFault  with the place at which the file can't be read further
 */
export async function* csvRecords(
  path: string,
  { encoding, delimiter }: Pick<FileShape, 'encoding' | 'delimiter'>,
  mostBytes?: number
): AsyncGenerator<CsvRecord> {
  const quotes = new QuoteScanner(delimiter ?? ',')
  const lines = new RecordLines()
  const parser = parse({
    delimiter: delimiter ?? ',',
    record_delimiter: LINE_ENDS,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST,
    cast: (text, { index, quoting }) => {
      /* Empty cells do not count for the size of a record. */
      if (index >= MOST_COLUMNS) {
        throw new FileFault('sheets.fault.sheetColumns', { most: MOST_COLUMNS })
      }
      return text === '' && !quoting ? null : quotes.restore(text)
    },
    /* As a record is parsed: an error comes before the records that wait to be read. */
    on_record: (record, info) => ({ line: lines.next(record, info), cells: record }) as never,
  })
  const pieces = scannedText(decodedText(path, encoding ?? 'utf-8', mostBytes), quotes)
  const feeding = pipeline(Readable.from(pieces), parser)
  /* Its failure is the parser's, too. */
  feeding.catch(() => {})
  try {
    yield* parser as AsyncIterable<CsvRecord>
  } catch (error) {
    if (error instanceof CsvError) throw faultOf(error, lines)
    throw error
  } finally {
    parser.destroy()
  }
}

async function* scannedText(
  pieces: AsyncIterable<string>,
  quotes: QuoteScanner
): AsyncGenerator<string> {
  for await (const piece of pieces) yield quotes.scan(piece)
  quotes.end()
}

/** Where records begin: csv-parse tells where they end, and counts CRLF within quotes twice. */
class RecordLines {
  /** Line of the end of the last record */
  #end = 0
  #emptyLines = 0
  #countedTwice = 0

  next(record: ReadonlyArray<string | null>, { lines, empty_lines: emptyLines }: Info): number {
    let within = 0
    for (const cell of record) {
      if (cell === null) continue
      const ends = lineEnds(cell)
      within += ends
      if (ends > 0) this.#countedTwice += cell.split('\r\n').length - 1
    }
    this.#end = lines - this.#countedTwice
    this.#emptyLines = emptyLines
    return this.#end - within
  }

  /** The line where a record begins that could not be read */
  afterLast(emptyLines: number): number {
    return this.#end + 1 + emptyLines - this.#emptyLines
  }
}

function faultOf(error: CsvError & { empty_lines?: number }, lines: RecordLines): FileFault {
  const line = lines.afterLast(error.empty_lines ?? 0)
  const isLong = error.code === 'CSV_MAX_RECORD_SIZE'
  return new FileFault(`sheets.fault.${isLong ? 'longRecord' : 'unreadable'}`, {}, line)
}
