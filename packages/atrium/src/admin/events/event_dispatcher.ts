import logger from '@adonisjs/core/services/logger'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { RecordByStatements, Write, WriteObserver } from '#crud'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import { contextOfOrigin } from '../authentication/admin_actor.js'
import { DatabaseIntegration } from './database_integration.js'
import type { AdminEvent, EventIntegration } from './event_integration.js'
import { eventOfWrites } from './event_of_writes.js'
import { longActionOf, type LongAction } from './long_action.js'
import { noteLogged } from './request_event.js'

/* Bounds the memory if an integration hangs. */
const MOST_PENDING = 1000

/**
 * Passes events to the site's integration; only writes that include their log wait for it. [E4]
 */
export class EventDispatcher implements WriteObserver {
  readonly #pending = new Set<Promise<unknown>>()
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

  /** Returns true if views of lists, or of the pages of records, are logged. [E2] */
  logsViewsOf(page: 'list' | 'update' | 'view'): boolean {
    if (!this.isActive) return false
    const { logViews = true } = this.integration!
    return logViews === 'records' ? page !== 'list' : logViews
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
    const action = longActionOf(writes[0])
    if (action) return await this.#recordPart(action, event, client)
    const ctx = contextOfOrigin(writes[0].origin)
    if (this.integration!.isPartOf?.(client)) {
      noteLogged(ctx, await this.integration!.log(event, { client }))
    } else afterOutermostCommit(client, () => noteLogged(ctx, this.log(event)))
  }

  /**
   * The built-in integration logs by statements if the log is in the database that is written to; a subclass that
   * overrides `log` gets its calls.
   */
  recordsByStatements(
    client: QueryClientContract,
    by: Parameters<typeof longActionOf>[0]
  ): RecordByStatements | undefined {
    const { integration } = this
    if (!(integration instanceof DatabaseIntegration) || !integration.isPartOf(client)) return
    if (integration.log !== DatabaseIntegration.prototype.log || longActionOf(by)) return
    return async (writes, run) => {
      const event = eventOfWrites(writes)
      if (!event) return
      const id = await integration.logByStatements(event, client, run)
      noteLogged(contextOfOrigin(by.origin), id)
    }
  }

  /**
   * Logs the end of a long action, whose details are complete now, also if it wrote nothing. [D3]
   *
   * @param client  of a transaction that it is part of
   */
  async endAction(
    action: LongAction & { end: AdminEvent },
    client: QueryClientContract
  ): Promise<void> {
    if (this.isActive) await this.#recordPart(action, action.end, client)
  }

  /** All parts of a long action are one event. */
  async #recordPart(action: LongAction, event: AdminEvent, client: QueryClientContract) {
    const integration = this.integration!
    const partOf = action.eventId ?? undefined
    if (integration.isPartOf?.(client)) {
      const id = await integration.log(event, { client, partOf })
      if (typeof id === 'number') action.eventId = id
    } else afterOutermostCommit(client, () => action.logAfter((id) => this.log(event, id)))
  }

  /**
   * Logs an event in the background; what it returns is never rejected. Reports failures, and events beyond the maximum number of
   * pending ones, in the application's log.
   */
  log(event: AdminEvent, partOf?: number): Promise<number | void> {
    if (!this.integration) return Promise.resolve()
    if (this.#pending.size >= this.#most) {
      const { type, resourceType } = event
      logger.error(
        { type, resourceType },
        `An event is lost: ${this.#most} others are still being logged`
      )
      return Promise.resolve()
    }
    const logged: Promise<number | void> = this.#log(event, partOf).finally(() =>
      this.#pending.delete(logged)
    )
    this.#pending.add(logged)
    return logged
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

  async #log(event: AdminEvent, partOf?: number): Promise<number | void> {
    try {
      return await this.integration!.log(event, partOf === undefined ? {} : { partOf })
    } catch (error) {
      const { type, resourceType } = event
      logger.error({ err: error, type, resourceType }, 'An event could not be logged')
    }
  }
}
