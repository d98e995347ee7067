import pLimit, { type LimitFunction } from 'p-limit'
import { QueueFull } from '../errors.js'

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
