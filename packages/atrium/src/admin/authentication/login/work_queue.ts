import pLimit, { type LimitFunction } from 'p-limit'
import { Problem } from '#crud'

/** Value of `Retry-After`, in seconds */
export const TRY_AGAIN_IN = 5

/** Too many operations are waiting in the queue. */
export class QueueFull extends Problem {
  constructor() {
    super(503, 'Too much is waiting already: try again in a moment', {
      headers: { 'retry-after': String(TRY_AGAIN_IN) },
    })
  }
}

/** Queue with a maximum number of concurrent and of waiting tasks, first in, first out. */
export class WorkQueue {
  readonly #limit: LimitFunction
  readonly #capacity: number

  /**
   * @param atOnce  maximum number of concurrent tasks
   * @param places  maximum number of waiting tasks
   */
  constructor(atOnce: number, places: number) {
    this.#limit = pLimit(atOnce)
    this.#capacity = atOnce + places
  }

  /**
   * @throws QueueFull  immediately, when the maximum number of tasks is waiting
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { activeCount, pendingCount } = this.#limit
    if (activeCount + pendingCount >= this.#capacity) throw new QueueFull()
    return await this.#limit(work)
  }
}
