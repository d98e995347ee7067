import logger from '@adonisjs/core/services/logger'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Write, WriteObserver } from '#crud'
import { afterOutermostCommit } from '#crud/database/outermost_commit'
import type { AdminEvent, EventIntegration } from './event_integration.js'
import { eventOf } from './write_event.js'

/* An integration that hangs must not fill the memory. */
const MOST_PENDING = 1000

/**
 * Hands events to the site's integration, so that nobody waits for it who need not. [E4]
 */
export class EventDispatcher implements WriteObserver {
  readonly #pending = new Set<Promise<void>>()
  readonly #most: number

  constructor(
    readonly integration: EventIntegration | undefined,
    { mostPending = MOST_PENDING } = {}
  ) {
    this.#most = mostPending
  }

  /** How many events are being logged */
  get pending(): number {
    return this.#pending.size
  }

  /** Whether anything is logged [S58] */
  get isActive(): boolean {
    return this.integration !== undefined
  }

  /** Whether views of pages are logged [E2] */
  get logsViews(): boolean {
    return this.isActive && (this.integration!.logViews ?? true)
  }

  /**
   * Logs the writes of an action: as a part of them where the integration says so, otherwise once they
   * are there for good. [E3]
   *
   * @throws  anything; the writes are undone then
   */
  async record(writes: readonly Write[], client: QueryClientContract): Promise<void> {
    const event = this.integration && eventOf(writes)
    if (!event) return
    if (this.integration!.isPartOf?.(client)) await this.integration!.log(event, { client })
    else afterOutermostCommit(client, () => this.log(event))
  }

  /**
   * Logs an event that nothing waits for. What fails, and what finds too many before it that do not
   * end, is reported in the application's log.
   */
  log(event: AdminEvent): void {
    if (!this.integration) return
    if (this.#pending.size >= this.#most) {
      const { type, resourceType } = event
      logger.error(
        { type, resourceType },
        `An event is lost: ${this.#most} others are still being logged`
      )
      return
    }
    const logged: Promise<void> = this.#log(event).finally(() => this.#pending.delete(logged))
    this.#pending.add(logged)
  }

  /**
   * Waits for what is being logged, as long as that is given.
   */
  async settle(milliseconds = 2000): Promise<void> {
    let isOver = false
    let timer: NodeJS.Timeout
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        isOver = true
        resolve()
      }, milliseconds)
    })
    while (this.#pending.size > 0 && !isOver) {
      await Promise.race([Promise.all(this.#pending), over])
    }
    clearTimeout(timer!)
  }

  async #log(event: AdminEvent): Promise<void> {
    try {
      await this.integration!.log(event)
    } catch (error) {
      const { type, resourceType } = event
      logger.error({ err: error, type, resourceType }, 'An event could not be logged')
    }
  }
}
