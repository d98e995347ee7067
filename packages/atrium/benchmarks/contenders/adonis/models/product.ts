import { BaseModel, column, SnakeCaseNamingStrategy } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

const dateTime = (value: DateTime | null) => value && value.toFormat('yyyy-MM-dd HH:mm:ss')

export default class Product extends BaseModel {
  static namingStrategy = new SnakeCaseNamingStrategy()

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare description: string

  @column()
  declare category: string

  @column({ consume: Number })
  declare price: number

  @column()
  declare sku: string | null

  @column.dateTime({ serialize: dateTime })
  declare lastSold: DateTime | null

  @column({ consume: Boolean })
  declare isDeleted: boolean

  @column.dateTime({ serialize: dateTime })
  declare deletedAt: DateTime | null

  @column.dateTime({ autoCreate: true, serialize: dateTime })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true, serialize: dateTime })
  declare updatedAt: DateTime | null
}
