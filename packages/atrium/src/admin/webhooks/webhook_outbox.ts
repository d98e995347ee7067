import { randomUUID } from 'node:crypto'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Actor, RecordByStatements, Write, WriteObserver } from '#crud'
import { isExcludedFromInclude } from '#crud/internals'
import { chunks, ROWS_PER_WRITE } from '#base/chunks'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import { dialectOf } from '#base/database/dialects'
import { insertRowsSql } from '#base/sql/sql'
import { digest } from '#base/values/digest'
import { eventActor } from '../events/event_dispatcher.js'
import { changesOfRecords } from '../events/event_records.js'
import type { EventRecord } from '../events/event_integration.js'
import AdminWebhookDelivery, { type DeliveredActor } from '../models/admin_webhook_delivery.js'
import string from '@adonisjs/core/helpers/string'
import { readingClientOf } from '../config/database_config.js'
import { jsonColumn } from '../models/admin_model.js'
import AdminWebhook from '../models/admin_webhook.js'

type Row = Record<string, unknown>

const ACTIONS: Record<EventRecord['action'], WebhookAction> = {
  CREATE: 'created',
  UPDATE: 'updated',
  DELETE: 'deleted',
}

/* Characters of a record's digest: enough to tell the records of a webhook apart */
const KEY_CHARACTERS = 22

/** Returns the values of a new delivery that do not depend on a write. */
export function newDelivery(webhookId: number, type: string, now = Date.now()): Row {
  return {
    webhook_id: webhookId,
    message_id: `msg_${randomUUID().replaceAll('-', '')}`,
    type,
    occurred_at: now,
    state: 'pending',
    attempts: 0,
    next_at: now,
  }
}

/** Returns the values of a delivery that describe a record. */
export function recordValues(resourceType: string, resourceId: string): Row {
  const key = digest(`${resourceType}/${resourceId}`, 'base64url').slice(0, KEY_CHARACTERS)
  return { resource_type: resourceType, resource_id: resourceId, record_key: key }
}

/** Returns an actor as webhooks receive it. */
export function deliveredActor(actor: Actor): DeliveredActor {
  const { userId, username } = eventActor({ actor, origin: undefined })
  return {
    kind: actor.kind,
    ...(userId !== null && { id: userId }),
    ...(username !== null && { name: actor.kind === 'system' ? actor.name : username }),
    ...(actor.token?.name && { token: actor.token.name }),
  }
}

/**
 * Inserts the deliveries of webhooks in the transaction of each write, so that a committed write is delivered even if
 * the process is killed, and a write that is rolled back is not.
 */
export class WebhookOutbox implements WriteObserver {
  /** @param wake  called after the commit of writes with deliveries */
  constructor(
    private readonly list: WebhookList,
    private readonly wake: () => void
  ) {}

  /** True if it is known that no webhook is active; false before the list has been read */
  get isIdle(): boolean {
    return this.list.known?.length === 0
  }

  prepare(client: QueryClientContract): Promise<void> | undefined {
    if (this.list.isFresh) return undefined
    /* If the pool has only one connection, a second one would wait for the transaction forever. */
    return this.list.read(client.isTransaction && isWithTables(client) ? client : undefined)
  }

  async record(writes: readonly Write[], client: QueryClientContract): Promise<void> {
    const rows = this.#rowsOf(writes)
    if (rows.length === 0) return
    if (isWithTables(client)) {
      for (const some of chunks(rows, ROWS_PER_WRITE)) await insertRows(client, some)
      return afterOutermostCommit(client, this.wake)
    }
    /* The deliveries cannot be part of a transaction in another database. */
    afterOutermostCommit(client, () => {
      this.#insertLater(rows).catch((error) =>
        logger.error({ err: error }, 'The deliveries of webhooks for a write are lost')
      )
    })
  }

  recordsByStatements(client: QueryClientContract): RecordByStatements | null | undefined {
    if (this.isIdle) return null
    if (!isWithTables(client)) return undefined
    return async (writes, run) => {
      const rows = this.#rowsOf(writes)
      if (rows.length === 0) return
      const table = dialectOf(client).quote(AdminWebhookDelivery.table)
      const insert = insertRowsSql(table, rows)
      if (run.withNext) run.withNext(insert)
      else await run(insert)
      this.wake()
    }
  }

  #rowsOf(writes: readonly Write[]): Row[] {
    const webhooks = this.list.known ?? []
    const own =
      webhooks.length === 0 ? [] : writes.filter(({ model }) => !isExcludedFromInclude(model))
    if (own.length === 0) return []
    const actor = JSON.stringify(deliveredActor(own[0].actor))
    return changesOfRecords(own).flatMap((record) => {
      const { action, changes, resourceId, resourceType } = record
      const type = messageType(resourceType, ACTIONS[action])
      const notified = webhooks.filter((one) => isNotified(one, resourceType, ACTIONS[action]))
      const json = notified.length > 0 ? JSON.stringify(changes) : ''
      return notified.map(({ id }) => ({
        ...newDelivery(id, type),
        ...recordValues(resourceType, resourceId),
        actor,
        changes: json,
      }))
    })
  }

  async #insertLater(rows: Row[]): Promise<void> {
    const client = db.connection(AdminWebhookDelivery.connection)
    for (const some of chunks(rows, ROWS_PER_WRITE)) await insertRows(client, some)
    this.wake()
  }
}

function isWithTables({ connectionName }: QueryClientContract): boolean {
  return connectionName === (AdminWebhookDelivery.connection ?? db.primaryConnectionName)
}

/** Inserts deliveries. */
export async function insertRows(client: QueryClientContract, rows: readonly Row[]): Promise<void> {
  await client.getWriteClient().table(AdminWebhookDelivery.table).insert(rows)
}

/** Changes of a record that webhooks are notified of */
export const WEBHOOK_ACTIONS = ['created', 'updated', 'deleted'] as const

export type WebhookAction = (typeof WEBHOOK_ACTIONS)[number]

/* Milliseconds for which the list is cached; other processes may notice a new or changed webhook this much later */
const FRESH = 1000

/** The properties of an active webhook that writes use. */
interface ActiveWebhook {
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
