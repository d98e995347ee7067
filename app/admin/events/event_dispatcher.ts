import logger from '@adonisjs/core/services/logger'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Write, WriteObserver } from '#crud'
import { afterOutermostCommit } from '#crud/internals'
import type { AdminEvent, EventIntegration } from './event_integration.js'
import { eventOfWrites } from './event_of_writes.js'

/* Bounds the memory if an integration hangs. */
const MOST_PENDING = 1000

/**
 * Passes events to the site's integration; only writes that include their log wait for it. [E4]
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

  /** Number of events that are being logged */
  get pending(): number {
    return this.#pending.size
  }

  /** True if events are logged [S58] */
  get isActive(): boolean {
    return this.integration !== undefined
  }

  /** True if views of pages are logged [E2] */
  get logsViews(): boolean {
    return this.isActive && (this.integration!.logViews ?? true)
  }

  /**
   * Logs the writes of an action: in their transaction if the integration is part of it, otherwise
   * after the commit. [E3]
   *
   * @throws  any error of the integration; the writes are then rolled back
   */
  async record(writes: readonly Write[], client: QueryClientContract): Promise<void> {
    const event = this.integration && eventOfWrites(writes)
    if (!event) return
    if (this.integration!.isPartOf?.(client)) await this.integration!.log(event, { client })
    else afterOutermostCommit(client, () => this.log(event))
  }

  /**
   * Logs an event in the background. Reports failures, and events beyond the maximum number of
   * pending ones, in the application's log.
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
   * Waits for pending events, at most for the given time.
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
