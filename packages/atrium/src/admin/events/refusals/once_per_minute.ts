const MINUTE = 60_000
const MAX_CAUSES = 500

/**
 * Admits each cause once a minute. Memory is bounded: beyond a number of causes within a minute only their kind counts, so
 * that many different causes can neither fill the log nor hide the kinds that they are of.
 */
export class OncePerMinute {
  /* From cause to the moment when it is admitted again, the earliest first. */
  readonly #until = new Map<string, number>()

  constructor(private readonly maxCauses = MAX_CAUSES) {}

  /** Number of causes that are remembered */
  get size(): number {
    return this.#until.size
  }

  /**
   * @param kind  one of few
   * @returns true if neither the cause nor, beyond the maximum number of causes, its kind was admitted within the last minute
   */
  admits(cause: string, kind: string, now = Date.now()): boolean {
    this.#forgetOld(now)
    if (this.#until.has(cause)) return false
    const counted = this.#until.size < this.maxCauses ? cause : `any ${kind}`
    if (this.#until.has(counted)) return false
    this.#until.set(counted, now + MINUTE)
    return true
  }

  /** True if the cause was admitted within the last minute. */
  has(cause: string, now = Date.now()): boolean {
    return (this.#until.get(cause) ?? 0) > now
  }

  clear(): void {
    this.#until.clear()
  }

  #forgetOld(now: number): void {
    for (const [cause, until] of this.#until) {
      if (until > now) return
      this.#until.delete(cause)
    }
  }
}
