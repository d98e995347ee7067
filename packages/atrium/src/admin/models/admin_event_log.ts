import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import type { EventDetails, EventStatus, EventType } from '../events/event_integration.js'
import { AdminModel, jsonColumn } from './admin_model.js'

/**
 * An event with the actor. The database integration writes the rows and never updates them. [E3]
 */
export default class AdminEventLog extends AdminModel {
  static table = 'admin_event_log'

  @column({ isPrimary: true })
  declare id: number

  @column.dateTime()
  declare timestamp: DateTime

  @column()
  declare eventType: EventType

  @column()
  declare status: EventStatus

  /** Null if no user is known */
  @column()
  declare userId: number | null

  /** User name at the time of the event; for a failed login, the typed name */
  @column()
  declare username: string | null

  /** Id of the session record, not the value of the cookie */
  @column()
  declare sessionId: number | null

  @column()
  declare ipAddress: string | null

  @column()
  declare userAgent: string | null

  /** Class name of the model */
  @column()
  declare resourceType: string | null

  /** Key as in URL paths, `12` or `7/a%2Fb`; null for several records */
  @column()
  declare resourceId: string | null

  @column(jsonColumn)
  declare details: EventDetails | null
}
