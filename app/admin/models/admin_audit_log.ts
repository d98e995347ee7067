import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import type { Changes, State } from '#crud'
import '#crud/lucid/naming_strategy'
import type { RecordAction } from '../events/event_integration.js'
import { jsonColumn } from './json_column.js'

/**
 * What an event did to one record. Written by the database integration, never changed. [E3]
 */
export default class AdminAuditLog extends BaseModel {
  static table = 'admin_audit_log'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare eventId: number

  @column.dateTime()
  declare timestamp: DateTime

  /** Name of the model's class */
  @column()
  declare resourceType: string

  /** The key as it stands in paths: `12`, or `7/a%2Fb` */
  @column()
  declare resourceId: string

  @column()
  declare action: RecordAction

  /** By wire name; null for a new record */
  @column(jsonColumn)
  declare previousState: State | null

  /** By wire name; null for a removed record */
  @column(jsonColumn)
  declare newState: State | null

  @column(jsonColumn)
  declare changes: Changes
}
