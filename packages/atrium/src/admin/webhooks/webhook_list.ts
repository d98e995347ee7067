import string from '@adonisjs/core/helpers/string'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { readingClientOf } from '../config/database_config.js'
import { jsonColumn } from '../models/admin_model.js'
import AdminWebhook from '../models/admin_webhook.js'

/** Changes of a record that webhooks are notified of */
export const WEBHOOK_ACTIONS = ['created', 'updated', 'deleted'] as const

export type WebhookAction = (typeof WEBHOOK_ACTIONS)[number]

/* Milliseconds for which the list is cached; other processes may notice a new or changed webhook this much later */
const FRESH = 1000

/** The properties of an active webhook that writes use. */
export interface ActiveWebhook {
  id: number
  models: readonly string[]
  eventTypes: readonly string[]
}

/** Returns the type of a message, such as `film.updated`. */
export function messageType(model: string, action: WebhookAction): string {
  return `${string.snakeCase(model)}.${action}`
}

/** Returns true if the webhook is notified of the action. */
export function isNotified(
  { models, eventTypes }: ActiveWebhook,
  model: string,
  action: WebhookAction
): boolean {
  if (models.length > 0 && !models.includes(model)) return false
  if (eventTypes.length === 0 || eventTypes.includes(action)) return true
  return eventTypes.includes(messageType(model, action))
}

/**
 * The active webhooks, read at most once a second, and only by processes that write. Without webhooks a write has
 * nothing to do.
 */
export class WebhookList {
  #webhooks: readonly ActiveWebhook[] | undefined
  #readAt = -Infinity
  #reading: Promise<void> | undefined

  /** Undefined before the first read */
  get known(): readonly ActiveWebhook[] | undefined {
    return this.#webhooks
  }

  get isFresh(): boolean {
    return performance.now() - this.#readAt < FRESH
  }

  /** Makes the next write read the webhooks again. */
  forget(): void {
    this.#readAt = -Infinity
  }

  /**
   * Reads the webhooks. Concurrent calls without a transaction share one query.
   *
   * @param client  transaction of the write, if it is on the same connection: another connection could wait for it
   */
  async read(client?: QueryClientContract): Promise<void> {
    if (client) return await this.#read(client)
    this.#reading ??= this.#read(readingClientOf(AdminWebhook)).finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  async #read(client: QueryClientContract): Promise<void> {
    const at = performance.now()
    const rows = await client
      .from(AdminWebhook.table)
      .where('active', true)
      .select('id', 'models', 'event_types')
      .orderBy('id')
    this.#webhooks = rows.map(({ id, models, event_types: types }) => ({
      id,
      models: jsonColumn.consume(models) ?? [],
      eventTypes: jsonColumn.consume(types) ?? [],
    }))
    this.#readAt = at
  }
}
