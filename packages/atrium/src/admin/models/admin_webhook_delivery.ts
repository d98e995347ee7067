import { column } from '@adonisjs/lucid/orm'
import '#crud'
import { AdminModel, jsonColumn } from './admin_model.js'

/**
 * `pending`: waits for the first attempt or the next one; `skipped`: the owner of the webhook is not allowed to view
 * the record
 */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'skipped'] as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Actor of a change in a message of a webhook. */
export interface DeliveredActor {
  kind: 'admin' | 'token' | 'system' | 'none'
  id?: number
  /** User name, or name of application code */
  name?: string
  token?: string
}

const number = {
  consume: (value: unknown) => (value === null || value === undefined ? null : Number(value)),
}

/** A message of a webhook. Only `DeliveryStore` writes it. */
export default class AdminWebhookDelivery extends AdminModel {
  static table = 'admin_webhook_deliveries'

  @column({ isPrimary: true, ...number })
  declare id: number

  @column()
  declare webhookId: number

  /** Header `webhook-id`, the same for all attempts */
  @column()
  declare messageId: string

  /** Such as `film.updated` */
  @column()
  declare type: string

  /** Class name of the model; null for a test message */
  @column()
  declare resourceType: string | null

  /** Key as in URL paths */
  @column()
  declare resourceId: string | null

  @column()
  declare recordKey: string

  @column(jsonColumn)
  declare actor: DeliveredActor

  /** Changes of all logged columns; the message contains those that the owner can view */
  @column(jsonColumn)
  declare changes: Record<string, { old: unknown; new: unknown }>

  @column(number)
  declare occurredAt: number

  @column()
  declare state: DeliveryState

  @column()
  declare attempts: number

  @column(number)
  declare firstAttemptAt: number | null

  /** Time of the next attempt */
  @column(number)
  declare nextAt: number

  @column()
  declare takenBy: string | null

  @column(number)
  declare takenUntil: number | null

  @column(number)
  declare endedAt: number | null

  /** Request body of the last attempt */
  @column()
  declare request: string | null

  @column()
  declare responseStatus: number | null

  /** Beginning of the response's body */
  @column()
  declare response: string | null

  /** Reason of a failure without a response */
  @column()
  declare error: string | null

  /** Duration of the last attempt, in milliseconds */
  @column()
  declare duration: number | null
}
