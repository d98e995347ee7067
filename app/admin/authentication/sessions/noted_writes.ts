import { setTimeout as sleep } from 'node:timers/promises'
import logger from '@adonisjs/core/services/logger'

/* Milliseconds that a request waits for such a write. */
const PATIENCE = 250

/**
 * Writes of requests that only read, one at a time for each session. SQLite has one writer, and an import may hold it for
 * many seconds: then such a request goes on without its write, which follows.
 */
export class NotedWrites {
  readonly #pending = new Map<number, Promise<boolean>>()

  /**
   * @param session  key of the session
   * @returns false if it failed, was not done yet, or not begun, as the session's last one is not done
   */
  async write(session: number, work: () => Promise<void>): Promise<boolean> {
    if (this.#pending.has(session)) return false
    const written = work()
      .then(() => true)
      .catch((error) => {
        logger.error({ err: error }, 'A session could not be noted')
        return false
      })
      .finally(() => this.#pending.delete(session))
    this.#pending.set(session, written)
    const end = new AbortController()
    const waited = sleep(PATIENCE, false, { ref: false, signal: end.signal })
    return await Promise.race([written, waited]).finally(() => end.abort())
  }

  /** Waits for all that are under way. */
  async settle(): Promise<void> {
    await Promise.all(this.#pending.values())
  }
}
