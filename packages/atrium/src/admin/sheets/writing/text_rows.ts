import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { writeJson } from '#base/values/json'
import { escapeFormula } from '#base/values/text'
import type { Cell } from '../file_shape.js'

type Row = readonly Cell[]
export type Batches = AsyncIterable<readonly Row[]>

const MOST_ROWS = 250

/** Number of characters after which a batch is passed on, even if it has few rows */
const MOST_TEXT = 64 * 1024

/**
 * Queue of rows: a caller pushes rows, and the generator that creates the file pulls them in batches. At most three
 * batches are queued.
 */
export class BatchedRows {
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
    if (this.#batch.length >= MOST_ROWS || this.#text >= MOST_TEXT) await this.#handOver()
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
export async function* ndjsonText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
  const object = objectsOf(options)
  for await (const rows of batches) yield rows.map((row) => `${object(row)}\n`).join('')
}

/** Yields a table as JSON, an array of objects. */
export async function* jsonText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
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

export interface TextOptions {
  /** True for a column of numbers */
  isNumeric: boolean
  /** True for a column of JSON */
  isJson: boolean
  raw: boolean
}

/** Returns the options for the names in the heading, which do not depend on the column type. */
export function headingOptions({ raw = false }: SheetOptions): TextOptions {
  return { isNumeric: false, isJson: false, raw }
}

/** Returns the options of each column, in order. */
export function columnOptions({
  columns,
  json,
  numeric,
  raw = false,
}: SheetOptions): TextOptions[] {
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
export function cellText(cell: Cell, { isJson, isNumeric, raw }: TextOptions): string | null {
  if (cell === null || cell === undefined) return null
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell)
  const text = typeof cell === 'string' && !isJson ? cell : writeJson(cell)
  const isPlain = raw || (isNumeric && NUMERAL.test(text))
  return isPlain ? text : escapeFormula(text)
}

/** A plain decimal numeral, as the REST API writes large integers and decimals */
export const NUMERAL = /^-?\d+(?:\.\d+)?$/

const BYTE_ORDER_MARK = '\uFEFF'

/*
 * Cells to quote: empty texts, texts that readers would trim, and texts with any delimiter, so that the delimiter of
 * the file can be detected
 */
const QUOTED = /^$|[\r\n,;\t|]|^\s|\s$/

/** Yields a table as a CSV file according to RFC 4180; null is an empty cell, an empty text is `""`. */
export async function* csvText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
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
