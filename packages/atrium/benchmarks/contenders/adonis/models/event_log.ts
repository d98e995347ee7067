import { BaseModel, column, SnakeCaseNamingStrategy } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

export default class EventLog extends BaseModel {
  static table = 'admin_event_log'
  static namingStrategy = new SnakeCaseNamingStrategy()

  @column({ isPrimary: true })
  declare id: number

  @column.dateTime()
  declare timestamp: DateTime

  @column()
  declare eventType: string

  @column()
  declare status: string

  @column()
  declare ipAddress: string | null

  @column()
  declare userAgent: string | null

  @column()
  declare resourceType: string

  @column()
  declare resourceId: string
}
