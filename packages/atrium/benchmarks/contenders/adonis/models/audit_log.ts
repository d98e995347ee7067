import { BaseModel, column, SnakeCaseNamingStrategy } from '@adonisjs/lucid/orm'
import type { ModelObject } from '@adonisjs/lucid/types/model'
import type { DateTime } from 'luxon'

const json = { prepare: (value: unknown) => value && JSON.stringify(value) }

export default class AuditLog extends BaseModel {
  static table = 'admin_audit_log'
  static namingStrategy = new SnakeCaseNamingStrategy()

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare eventId: number

  @column.dateTime()
  declare timestamp: DateTime

  @column()
  declare resourceType: string

  @column()
  declare resourceId: string

  @column()
  declare action: string

  @column(json)
  declare previousState: ModelObject | null

  @column(json)
  declare newState: ModelObject

  @column(json)
  declare changes: ModelObject
}
