import { counters } from '#base/counters'

const HOUR = 60 * 60

/** Records that a token can write within an hour, until its owner allows more. */
export class WriteBudget {
  constructor(private readonly config: { readonly writesPerHour: number }) {}

  /** Number of records per token and hour */
  get records(): number {
    return this.config.writesPerHour
  }

  /**
   * Deducts records from the budget, before they are written.
   *
   * @returns false if the budget does not suffice; it is unchanged then
   */
  async take(tokenId: number, records: number): Promise<boolean> {
    if (records > this.records) return false
    const counter = this.#counter()
    const { consumed } = await counter.increment(keyOf(tokenId), records)
    if (consumed <= this.records) return true
    await counter.decrement(keyOf(tokenId), records)
    return false
  }

  /** Adds records to the budget that were deducted but not written. */
  async giveBack(tokenId: number, records: number): Promise<void> {
    await this.#counter().decrement(keyOf(tokenId), records)
  }

  /** Returns the number of records that the token can still write. */
  async left(tokenId: number): Promise<number> {
    const found = await this.#counter().get(keyOf(tokenId))
    return Math.max(0, this.records - (found?.consumed ?? 0))
  }

  /** Resets the budget, after the owner of the token has confirmed further writes. */
  async renew(tokenId: number): Promise<void> {
    await this.#counter().delete(keyOf(tokenId))
  }

  #counter() {
    return counters().use({ requests: this.records, duration: HOUR })
  }
}

function keyOf(tokenId: number): string {
  return `mcp:writes:${tokenId}`
}
