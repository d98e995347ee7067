import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import type { Changes, State } from '#crud'
import type { Reversal } from '#crud/internals'
import { AdminModel, jsonColumn } from './admin_model.js'

/** Action on a record; a restore counts as an update. */
export type RecordChange = 'CREATE' | 'UPDATE' | 'DELETE'

/** Changes of an event to one record. The database integration writes the rows and never updates them. */
export default class AdminAuditLog extends AdminModel {
  static table = 'admin_audit_log'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare eventId: number

  @column.dateTime()
  declare timestamp: DateTime

  /** Class name of the model */
  @column()
  declare resourceType: string

  /** Key as in URL paths: `12`, or `7/a%2Fb` */
  @column()
  declare resourceId: string

  @column()
  declare action: RecordChange

  /** Values before the change, by API name; null for a created record */
  @column(jsonColumn)
  declare previousState: State | null

  /** Values after the change, by API name; null for a deleted record */
  @column(jsonColumn)
  declare newState: State | null

  @column(jsonColumn)
  declare changes: Changes

  /** Data for reverting the change; null in rows of earlier versions */
  @column(jsonColumn)
  declare reversal: Reversal | null
}
