import logger from '@adonisjs/core/services/logger'

const HOUR = 3_600_000

/**
 * Prunes old events about once an hour, at random moments so that processes do not coincide.
 */
export class PruneSchedule {
  readonly #prune: () => Promise<number>
  readonly #interval: number
  #timer: NodeJS.Timeout | undefined

  constructor(prune: () => Promise<number>, { interval = HOUR } = {}) {
    this.#prune = prune
    this.#interval = interval
  }

  start(): void {
    const wait = this.#interval * (0.5 + Math.random())
    this.#timer = setTimeout(() => this.#run(), wait).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #run() {
    try {
      const removed = await this.#prune()
      if (removed > 0) logger.info({ removed }, 'Old events were removed')
    } catch (error) {
      logger.error({ err: error }, 'Old events could not be removed')
    }
    if (this.#timer) this.start()
  }
}
