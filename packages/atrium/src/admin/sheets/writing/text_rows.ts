import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { writeJson } from '#base/values/json'
import { escapeFormula } from '#base/values/formula'
import type { Cell } from '../file_shape.js'

type Row = readonly Cell[]
export type Batches = AsyncIterable<readonly Row[]>

const MOST_ROWS = 250

/** Characters after which a batch is handed over, however few rows it has */
const MOST_TEXT = 64 * 1024

/**
 * Rows that are pushed by a caller and pulled, in batches, by the generator that makes a file of them. At most three
 * batches wait.
 */
export class BatchedRows {
  #batch: Row[] = []
  #text = 0
  readonly #queue = new PassThrough({ objectMode: true, highWaterMark: 1 })
  readonly #done: Promise<void>
  /* Of the call that waits: a promise of the whole file would remember each wait until its end. */
  #stop: ((error: unknown) => void) | undefined

  /**
   * @param make    the pieces of the file
   * @param output  ended with the file, destroyed with its failure
   */
  constructor(make: (batches: Batches) => AsyncIterable<string | Uint8Array>, output: Writable) {
    this.#done = pipeline(this.#queue, make, output)
    /* Told by the next call. */
    this.#done.catch((error) => this.#stop?.(error))
  }

  /** @throws Error  that of the output */
  async write(row: Row): Promise<void> {
    this.#batch.push(row)
    for (const cell of row) if (typeof cell === 'string') this.#text += cell.length
    if (this.#batch.length >= MOST_ROWS || this.#text >= MOST_TEXT) await this.#handOver()
  }

  /** @throws Error  that of the output */
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

/**
 * A table as NDJSON: an object a line. [D2]
 */
export async function* ndjsonText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
  const object = objectsOf(options)
  for await (const rows of batches) yield rows.map((row) => `${object(row)}\n`).join('')
}

/**
 * A table as JSON: a list of objects. [D2]
 */
export async function* jsonText(batches: Batches, options: SheetOptions): AsyncGenerator<string> {
  const object = objectsOf(options)
  let before = '['
  for await (const rows of batches) {
    yield before + rows.map((row) => `\n${object(row)}`).join(',')
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

/** An undefined cell is left out. */
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

/** A name of the heading, whatever its column holds */
export function headingOptions({ raw = false }: SheetOptions): TextOptions {
  return { isNumeric: false, isJson: false, raw }
}

/** The options of each column, in order */
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
 * The text of a cell in a spreadsheet, such that none is read as a formula; null for an empty cell. [D2]
 */
export function cellText(cell: Cell, { isJson, isNumeric, raw }: TextOptions): string | null {
  if (cell === null || cell === undefined) return null
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell)
  const text = typeof cell === 'string' && !isJson ? cell : writeJson(cell)
  const isPlain = raw || (isNumeric && NUMERAL.test(text))
  return isPlain ? text : escapeFormula(text)
}

/** A plain decimal numeral, as REST writes large integers and decimals */
export const NUMERAL = /^-?\d+(?:\.\d+)?$/

const BYTE_ORDER_MARK = '\uFEFF'

/*
 * An empty text, what readers trim, and all delimiters, so that the file's own is found
 */
const QUOTED = /^$|[\r\n,;\t|]|^\s|\s$/

/**
 * A table as a CSV file: RFC 4180; null is an empty cell, an empty text `""`. [D2]
 */
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
