/* Milliseconds that a part of a job may hold the one writer of SQLite, for which all others wait */
const LONGEST = 150

const FIRST = 50
const LEAST = 5
const MOST = 500

/**
 * The number of records that a job writes in one transaction, by how long the last ones took.
 */
export class PartSize {
  #rows = FIRST

  get rows(): number {
    return this.#rows
  }

  /** Runs the writes of as many records as `rows` says, and takes their time. */
  async measure<Result>(write: () => Promise<Result>): Promise<Result> {
    const begun = performance.now()
    const result = await write()
    const fit = (this.#rows * LONGEST) / Math.max(1, performance.now() - begun)
    /* One slow part is no reason for ever so small ones, nor a quick one for one that takes seconds. */
    const next = Math.min(Math.max(fit, this.#rows / 2), this.#rows * 2)
    this.#rows = Math.round(Math.min(Math.max(next, LEAST), MOST))
    return result
  }
}
