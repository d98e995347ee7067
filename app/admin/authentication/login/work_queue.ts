import { Problem } from '#crud'

/** Seconds after which some of what waits is done */
export const TRY_AGAIN_IN = 5

/**
 * There is no more room to wait in.
 */
export class QueueFull extends Problem {
  constructor() {
    super(503, 'Too much is waiting already: try again in a moment', {
      headers: { 'retry-after': String(TRY_AGAIN_IN) },
    })
  }
}

/**
 * Does only so much of a kind of work at once, and lets only so much wait for it, in the order in
 * which it came.
 */
export class WorkQueue {
  #running = 0
  readonly #waiting: Array<() => void> = []

  /**
   * @param atOnce  how much may be done at the same time
   * @param places  how much may wait
   */
  constructor(
    private readonly atOnce: number,
    private readonly places: number
  ) {}

  /**
   * @throws QueueFull  at once, when as much waits as may
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.atOnce) this.#running++
    else await this.#turn()
    try {
      return await work()
    } finally {
      /* Whoever is next takes over the place, so that nobody who comes now is before them. */
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }

  async #turn(): Promise<void> {
    if (this.#waiting.length >= this.places) throw new QueueFull()
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
