import { setTimeout as sleep } from 'node:timers/promises'
import logger from '@adonisjs/core/services/logger'

/* Milliseconds that a request waits for a write of `NotedWrites` */
const TIMEOUT = 250

/**
 * Writes of requests that otherwise only read, one at a time for each session. SQLite has one writer, which an import
 * can occupy for many seconds. In that case the request continues, and the write follows later.
 */
export class NotedWrites {
  readonly #pending = new Map<number, Promise<boolean>>()

  /**
   * @param session  key of the session
   * @returns false if the write failed, did not finish in time, or was not started because the session's previous write
   *   did not finish in time
   */
  async write(session: number, work: () => Promise<void>): Promise<boolean> {
    const end = new AbortController()
    const over = sleep(TIMEOUT, false, { ref: false, signal: end.signal })
    over.catch(() => {})
    try {
      for (let last; (last = this.#pending.get(session));) {
        if ((await Promise.race([last.then(() => true), over])) === false) return false
      }
      return await Promise.race([this.#begin(session, work), over])
    } finally {
      end.abort()
    }
  }

  #begin(session: number, work: () => Promise<void>): Promise<boolean> {
    const written = work()
      .then(() => true)
      .catch((error) => {
        logger.error({ err: error }, 'A session could not be noted')
        return false
      })
      .finally(() => this.#pending.delete(session))
    this.#pending.set(session, written)
    return written
  }

  /** Waits for all pending writes. */
  async settle(): Promise<void> {
    await Promise.all(this.#pending.values())
  }
}
