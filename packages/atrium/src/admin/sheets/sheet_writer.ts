import { type Writable, PassThrough } from 'node:stream'
import { type FileFormat, type Cell, LONGEST_CELL, MOST_COLUMNS, MOST_ROWS } from './file_shape.js'
import { FileError } from '../jobs/job_errors.js'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { writeJson } from '#base/values/json'
import { escapeFormula } from '#base/values/text'

type SheetCell = string | number | boolean | null

/** Maximum number of digits that spreadsheets store. */
const MOST_DIGITS = 15

/** Texts that the format would interpret as a character code, and characters that XML cannot contain */
const ESCAPED = /_(?=x[\dA-F]{4})|[\uFFFE\uFFFF]|\p{Surrogate}/giu

/**
 * Yields a table as an XLSX file with one sheet. Null is not written as a cell, an empty text is a cell with an empty
 * text. Texts stay texts, and so do numbers with more digits than a spreadsheet stores.
 *
 * @throws FileError  for more rows or columns, or a longer text, than a sheet can have
 */
async function* xlsxBytes(batches: Batches, options: SheetOptions): AsyncGenerator<Uint8Array> {
  const { length } = options.columns
  if (length > MOST_COLUMNS) {
    throw new FileError('sheets.errors.sheetColumns', { most: MOST_COLUMNS })
  }
  /* Loaded with the first file, because loading the modules would slow down the start of the server */
  const { writeXlsxStream } = await import('hucre/xlsx')
  yield* writeXlsxStream(rowsOf(batches, options), {
    name: 'Sheet1',
    freezePane: { rows: 1 },
    zip64: true,
  })
}

async function* rowsOf(batches: Batches, options: SheetOptions): AsyncGenerator<SheetCell[]> {
  yield options.columns.map((name) => sheetCell(name, headingOptions(options)))
  const kinds = columnOptions(options)
  const { columns } = options
  let count = 1
  for await (const rows of batches) {
    if (count + rows.length > MOST_ROWS) {
      throw new FileError('sheets.errors.sheetRows', { most: MOST_ROWS - 1 })
    }
    for (const row of rows) {
      count++
      const cells = kinds.map((kind, index) => sheetCell(row[index], kind))
      const long = cells.findIndex((cell) => typeof cell === 'string' && cell.length > LONGEST_CELL)
      if (long !== -1) {
        const place = { row: count, column: columns[long], most: LONGEST_CELL }
        throw new FileError('sheets.errors.sheetCell', place)
      }
      yield cells
    }
  }
}

function sheetCell(cell: Cell, kind: TextOptions): SheetCell {
  if (typeof cell === 'boolean') return cell
  if (typeof cell === 'number' && !(Number.isInteger(cell) && isLong(String(cell)))) return cell
  const text = cellText(cell, kind)
  if (text === null) return null
  if (kind.isNumeric && NUMERAL.test(text) && !isLong(text) && isSame(text)) return Number(text)
  return text.replace(ESCAPED, codeOf)
}

function isLong(numeral: string): boolean {
  return numeral.replace(/^-?0*|\D/g, '').length > MOST_DIGITS
}

/** Returns false for `007`, `1.50` and `-0`, which would lose zeros or the sign as numbers. */
function isSame(numeral: string): boolean {
  return String(Number(numeral)) === numeral
}

function codeOf(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return `_x${code}_`
}

/** Writes a table, row by row. */
interface SheetWriter {
  /**
   * Writes a row. Resolves when the next row can be written.
   *
   * @param cells  cells in the order of the columns: booleans and numbers are written unchanged, objects become JSON in
   *   CSV and XLSX
   * @throws Error  error of the output; FileError for more rows or columns than the format supports
   */
  write(cells: readonly Cell[]): Promise<void>
  /**
   * Completes the table and ends the output. Resolves when the output has accepted everything.
   *
   * @throws Error  as in `write`
   */
  end(): Promise<void>
}

type Make = (batches: Batches, options: SheetOptions) => AsyncIterable<string | Uint8Array>

const MAKERS: Readonly<Record<FileFormat, Make>> = {
  csv: csvText,
  ndjson: ndjsonText,
  json: jsonText,
  xlsx: xlsxBytes,
}

/** Returns a writer for a format. The memory does not grow with the number of rows. */
export function sheetWriter(
  format: FileFormat,
  output: Writable,
  options: SheetOptions
): SheetWriter {
  return new BatchedRows((batches) => MAKERS[format](batches, options), output)
}

type Row = readonly Cell[]
type Batches = AsyncIterable<readonly Row[]>

const BATCH_ROWS = 250

/** Number of characters after which a batch is passed on, even if it has few rows */
const BATCH_TEXT = 64 * 1024

/**
 * Queue of rows: a caller pushes rows, and the generator that creates the file pulls them in batches. At most three
 * batches are queued.
 */
class BatchedRows {
  #batch: Row[] = []
  #text = 0
  readonly #queue = new PassThrough({ objectMode: true, highWaterMark: 1 })
  readonly #done: Promise<void>
  /*
   * Rejects the pending call. A promise for the whole file would keep a handler for every call until the end of the
   * file.
   */
  #stop: ((error: unknown) => void) | undefined

  /**
   * @param make    yields the pieces of the file
   * @param output  ended with the file, destroyed if creating it fails
   */
  constructor(make: (batches: Batches) => AsyncIterable<string | Uint8Array>, output: Writable) {
    this.#done = pipeline(this.#queue, make, output)
    /* The next call reports the error. */
    this.#done.catch((error) => this.#stop?.(error))
  }

  /** @throws Error  error of the output */
  async write(row: Row): Promise<void> {
    this.#batch.push(row)
    for (const cell of row) if (typeof cell === 'string') this.#text += cell.length
    if (this.#batch.length >= BATCH_ROWS || this.#text >= BATCH_TEXT) await this.#handOver()
  }

  /** @throws Error  error of the output */
  async end(): Promise<void> {
    if (this.#batch.length > 0) await this.#handOver()
    this.#queue.end()
    await this.#done
  }

  async #handOver(): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    this.#text = 0
    if (this.#queue.destroyed) await this.#done
    if (!this.#queue.write(batch)) await this.#drained()
  }

  async #drained(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#stop = reject
      this.#queue.once('drain', resolve)
    })
    this.#stop = undefined
  }
}

export interface SheetOptions {
  /** Names in the heading; in NDJSON and JSON the property names */
  columns: readonly string[]
  /**
   * Positions of number columns, whose texts (large integers, decimals) are not escaped, because no spreadsheet
   * interprets a plain numeral as a formula
   */
  numeric?: ReadonlySet<number>
  /** Positions of JSON columns, whose texts are written as JSON in CSV and XLSX as well */
  json?: ReadonlySet<number>
  /** True to write a byte order mark at the beginning of a CSV file */
  bom?: boolean
  /** Delimiter of a CSV file. Default: a comma */
  delimiter?: string
  /** True to write texts unchanged that a spreadsheet would interpret as a formula */
  raw?: boolean
}

/** Yields a table as NDJSON, one object per line. */
async function* ndjsonText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
  const object = objectsOf(options)
  for await (const rows of batches) yield rows.map((row) => `${object(row)}\n`).join('')
}

/** Yields a table as JSON, an array of objects. */
async function* jsonText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
  const object = objectsOf(options)
  let before = '['
  for await (const rows of batches) {
    yield before + rows.map((row) => `\n${object(row)}`).join(',')
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

/** Returns a function that writes a row as a JSON object, without undefined cells. */
function objectsOf({ columns }: SheetOptions): (row: Row) => string {
  const names = columns.map((name) => `${JSON.stringify(name)}:`)
  return (row) => {
    const members = names.flatMap((name, index) =>
      row[index] === undefined ? [] : [name + writeJson(row[index])]
    )
    return `{${members.join(',')}}`
  }
}

interface TextOptions {
  /** True for a column of numbers */
  isNumeric: boolean
  /** True for a column of JSON */
  isJson: boolean
  raw: boolean
}

/** Returns the options for the names in the heading, which do not depend on the column type. */
function headingOptions({ raw = false }: SheetOptions): TextOptions {
  return { isNumeric: false, isJson: false, raw }
}

/** Returns the options of each column, in order. */
function columnOptions({ columns, json, numeric, raw = false }: SheetOptions): TextOptions[] {
  return columns.map((_, index) => ({
    isNumeric: numeric?.has(index) ?? false,
    isJson: json?.has(index) ?? false,
    raw,
  }))
}

/**
 * Returns the text of a cell in a spreadsheet, escaped so that it is not interpreted as a formula; null for an empty
 * cell.
 */
function cellText(cell: Cell, { isJson, isNumeric, raw }: TextOptions): string | null {
  if (cell === null || cell === undefined) return null
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell)
  const text = typeof cell === 'string' && !isJson ? cell : writeJson(cell)
  const isPlain = raw || (isNumeric && NUMERAL.test(text))
  return isPlain ? text : escapeFormula(text)
}

/** A plain decimal numeral, as the REST API writes large integers and decimals */
const NUMERAL = /^-?\d+(?:\.\d+)?$/

const BYTE_ORDER_MARK = '\uFEFF'

/*
 * Cells to quote: empty texts, texts that readers would trim, and texts with any delimiter, so that the delimiter of
 * the file can be detected
 */
const QUOTED = /^$|[\r\n,;\t|]|^\s|\s$/

/** Yields a table as a CSV file according to RFC 4180; null is an empty cell, an empty text is `""`. */
async function* csvText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
  const { bom = false, columns, delimiter = ',' } = options
  const heading = columns.map((name) => cellText(name, headingOptions(options)))
  yield (bom ? BYTE_ORDER_MARK : '') + lines([heading], delimiter)
  const kinds = columnOptions(options)
  for await (const rows of batches) {
    const texts = rows.map((row) => kinds.map((kind, index) => cellText(row[index], kind)))
    yield lines(texts, delimiter)
  }
}

function lines(rows: ReadonlyArray<Array<string | null>>, delimiter: string): string {
  return stringify(rows as Array<Array<string | null>>, {
    delimiter,
    record_delimiter: 'windows',
    quoted_match: QUOTED,
  })
}
