import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Cell } from '../file_shape.js'

export type Row = readonly Cell[]
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
