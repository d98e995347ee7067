import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { writeJson } from '#base/values/json'
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
