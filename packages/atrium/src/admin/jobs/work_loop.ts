import { setTimeout as sleep } from 'node:timers/promises'
import logger from '@adonisjs/core/services/logger'

/* Delay after an error, such as an unavailable database */
const PAUSE = 5000

/** Repeats rounds of background work until it is stopped. Errors end a round, and not the loop. */
export class WorkLoop {
  #isStopped = false
  #isAwake = false
  #wakeUp: AbortController | undefined
  #lastError = ''

  /**
   * @param failure  message of the log for an error
   * @param idle     milliseconds between two rounds if nothing wakes the loop
   */
  constructor(
    private readonly failure: string,
    private readonly idle: number
  ) {}

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Starts the next round without waiting for it to be due. */
  wake(): void {
    this.#isAwake = true
    this.#wakeUp?.abort()
  }

  stop(): void {
    this.#isStopped = true
    this.wake()
  }

  resume(): void {
    this.#isStopped = false
  }

  /** Calls `round` until `stop`. */
  async run(round: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      const isFine = await this.guarded(round)
      if (isFine) this.#lastError = ''
      await this.#sleep(isFine ? this.idle : PAUSE)
    }
  }

  /** Runs a round, and logs its error; a repeated error only once. Returns false after an error. */
  async guarded(act: () => Promise<void>): Promise<boolean> {
    try {
      await act()
      return true
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#lastError) logger.error({ err: error }, this.failure)
      this.#lastError = message
      return false
    }
  }

  async #sleep(milliseconds: number) {
    if (!this.#isAwake && !this.#isStopped) {
      this.#wakeUp = new AbortController()
      const options = { signal: this.#wakeUp.signal, ref: false }
      await sleep(milliseconds, undefined, options).catch(() => {})
      this.#wakeUp = undefined
    }
    this.#isAwake = false
  }
}
