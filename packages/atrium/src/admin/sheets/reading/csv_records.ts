import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, type Info, parse } from 'csv-parse'
import { FileError } from '../../jobs/job_errors.js'
import { type FileShape, MOST_COLUMNS } from '../file_shape.js'
import { LineCounter, lineEnds, decodedText } from './decoded_text.js'
import { parse as parseWhole } from 'csv-parse/sync'

/** Noncharacter that replaces a quotation mark that does not begin a quoted cell */
const LITERAL = '\uFDD0'

/** Replacements for noncharacters of the file */
const ESCAPES = new Map([
  [LITERAL, '\uFDD1a'],
  ['\uFDD1', '\uFDD1b'],
])

const REPLACED = new Map([
  [LITERAL, '"'],
  ...[...ESCAPES].map(([character, escape]): [string, string] => [escape, character]),
])

interface Place {
  line: number
  column: number
}

/**
 * Scans the quotation marks of a CSV file that is read in pieces. Those within unquoted cells become literal
 * characters. A quoted cell that is not followed by a delimiter or line end is an error, which includes the position.
 */
export class QuoteScanner {
  /** True once a character was replaced */
  hasLiterals = false
  readonly #delimiter: string
  readonly #before = new LineCounter()
  /** Last character before the piece; empty at the start of the file, which is also the start of a cell */
  #last = ''
  #isQuoted = false
  /** True if the last character can be the end of a quoted cell, or the first of two quotation marks */
  #isAfterQuote = false
  /** Position where the quoted cell begins */
  #opened: Place = { line: 1, column: 1 }

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /**
   * @returns the piece with literal quotation marks replaced, and with the replacement characters of the file escaped
   * @throws FileError
   */
  scan(piece: string): string {
    if (piece === '') return piece
    const stored: string[] = []
    let from = 0
    let at = this.#isAfterQuote ? this.#endQuote(piece, 0) : piece.indexOf('"')
    while (at !== -1) {
      if (this.#isQuoted) at = this.#endQuote(piece, at + 1)
      else {
        if (this.#beginsCell(piece, at)) this.#open(piece, at)
        else {
          stored.push(this.#escaped(piece.slice(from, at)), LITERAL)
          from = at + 1
        }
        at = piece.indexOf('"', at + 1)
      }
    }
    this.#before.add(piece)
    this.#last = piece.at(-1)!
    const rest = this.#escaped(piece.slice(from))
    if (stored.length === 0) return rest
    this.hasLiterals = true
    return stored.join('') + rest
  }

  /** @throws FileError  if a quoted cell has no end */
  end(): void {
    if (!this.#isQuoted || this.#isAfterQuote) return
    const { line, column } = this.#opened
    throw new FileError('sheets.errors.openQuote', { column }, line)
  }

  /** Returns the text of a cell with the literal quotation marks restored. */
  restore(text: string): string {
    if (!this.hasLiterals) return text
    return text.replaceAll(/\uFDD0|\uFDD1[ab]/g, (found) => REPLACED.get(found)!)
  }

  #escaped(text: string): string {
    if (!/[\uFDD0\uFDD1]/.test(text)) return text
    this.hasLiterals = true
    return text.replaceAll(/[\uFDD0\uFDD1]/g, (found) => ESCAPES.get(found)!)
  }

  #beginsCell(piece: string, at: number): boolean {
    const before = at === 0 ? this.#last : piece[at - 1]
    return before === '' || before === this.#delimiter || isLineEnd(before)
  }

  #open(piece: string, at: number): void {
    this.#isQuoted = true
    this.#opened = this.#before.positionAfter(piece.slice(0, at))
  }

  /**
   * Continues after a quotation mark within a quoted cell.
   *
   * @param next  position after the quotation mark
   * @returns the position of the next quotation mark, -1 for none
   * @throws FileError  if the cell does not end there
   */
  #endQuote(piece: string, next: number): number {
    this.#isAfterQuote = next >= piece.length
    if (this.#isAfterQuote) return -1
    const character = piece[next]
    if (character === '"') return piece.indexOf('"', next + 1)
    if (character !== this.#delimiter && !isLineEnd(character)) {
      const { line, column } = this.#before.positionAfter(piece.slice(0, next))
      throw new FileError('sheets.errors.strayQuote', { column }, line)
    }
    this.#isQuoted = false
    return piece.indexOf('"', next)
  }
}

function isLineEnd(character: string): boolean {
  return character === '\n' || character === '\r'
}

/** Maximum length of a record. A longer one is refused: the usual cause is a quotation mark that is not closed. */
const LONGEST = 64 * 1024 * 1024

interface CsvRecord {
  line: number
  /** Null for an empty cell, `''` for an empty text */
  cells: Array<string | null>
}

/**
 * Yields the records of a CSV file in order, starting with the heading, without blank lines. A quotation mark within an
 * unquoted cell is an ordinary character.
 *
 * @throws FileError  with the position at which the file cannot be read further
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
      /* Empty cells do not count towards the maximum size of a record, so their number is limited here. */
      if (index >= MOST_COLUMNS) {
        throw new FileError('sheets.errors.sheetColumns', { most: MOST_COLUMNS })
      }
      return text === '' && !quoting ? null : quotes.restore(text)
    },
    /* Counts lines while a record is parsed, because an error is reported before the records that wait to be read. */
    on_record: (record, info) => ({ line: lines.next(record, info), cells: record }) as never,
  })
  const pieces = scannedText(decodedText(path, encoding ?? 'utf-8', mostBytes), quotes)
  const feeding = pipeline(Readable.from(pieces), parser)
  /* The parser reports the same failure. */
  feeding.catch(() => {})
  try {
    yield* parser as AsyncIterable<CsvRecord>
  } catch (error) {
    if (error instanceof CsvError) throw errorOf(error, lines)
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

/**
 * Determines the lines where records begin. csv-parse only reports where they end, and counts CRLF within quotes twice.
 */
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

  /** Returns the line where an unreadable record begins. */
  afterLast(emptyLines: number): number {
    return this.#end + 1 + emptyLines - this.#emptyLines
  }
}

function errorOf(error: CsvError & { empty_lines?: number }, lines: RecordLines): FileError {
  const line = lines.afterLast(error.empty_lines ?? 0)
  const isLong = error.code === 'CSV_MAX_RECORD_SIZE'
  return new FileError(`sheets.errors.${isLong ? 'longRecord' : 'unreadable'}`, {}, line)
}

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
const LINE_ENDS = ['\r\n', '\n', '\r']

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
    parseWhole(sample, {
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
