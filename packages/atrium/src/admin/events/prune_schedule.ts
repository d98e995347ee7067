import logger from '@adonisjs/core/services/logger'

const HOUR = 3_600_000

interface PruneOptions {
  /** Approximate milliseconds before the first run; default: the interval */
  first?: number
  /** Approximate milliseconds between two runs. Default: an hour */
  interval?: number
  /** Name of the records in the application's log. Default: `events` */
  what?: string
}

/**
 * Removes old events or other expired records about once an hour, at random times so that several processes do not
 * remove them simultaneously.
 */
export class PruneSchedule {
  readonly #prune: () => Promise<number>
  readonly #interval: number
  #next: number
  readonly #what: string
  #timer: NodeJS.Timeout | undefined

  constructor(
    prune: () => Promise<number>,
    { first, interval = HOUR, what = 'events' }: PruneOptions = {}
  ) {
    this.#prune = prune
    this.#what = what
    this.#interval = interval
    this.#next = first ?? interval
  }

  start(): void {
    const wait = this.#next * (0.5 + Math.random())
    this.#next = this.#interval
    this.#timer = setTimeout(() => this.#run(), wait).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #run() {
    try {
      const removed = await this.#prune()
      if (removed > 0) logger.info({ removed }, `Old ${this.#what} were removed`)
    } catch (error) {
      logger.error({ err: error }, `Old ${this.#what} could not be removed`)
    }
    if (this.#timer) this.start()
  }
}
