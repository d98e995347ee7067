import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud/lucid/naming_strategy'
import type { EventDetails, EventStatus } from '../events/event_integration.js'
import type { EventType } from '../events/event_type.js'
import { jsonColumn } from './json_column.js'

/**
 * Something that happened, and who did it. Written by the database integration, never changed. [E3]
 */
export default class AdminEventLog extends BaseModel {
  static table = 'admin_event_log'

  @column({ isPrimary: true })
  declare id: number

  @column.dateTime()
  declare timestamp: DateTime

  @column()
  declare eventType: EventType

  @column()
  declare status: EventStatus

  /** Null for nobody known */
  @column()
  declare userId: number | null

  /** As it was then; of a failed login, as it was typed */
  @column()
  declare username: string | null

  /** The id of the session's record, never what is in the cookie */
  @column()
  declare sessionId: number | null

  @column()
  declare ipAddress: string | null

  @column()
  declare userAgent: string | null

  /** Name of the model's class */
  @column()
  declare resourceType: string | null

  /** The key as it stands in paths, `12` or `7/a%2Fb`; null for several records */
  @column()
  declare resourceId: string | null

  @column(jsonColumn)
  declare details: EventDetails | null
}
