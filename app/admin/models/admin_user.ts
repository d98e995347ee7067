import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud/lucid/naming_strategy'

/**
 * Somebody who may sign in to the admin site. The password is there only as its hash, which no
 * answer, list, event or log ever shows. [B11]
 */
export default class AdminUser extends BaseModel {
  static table = 'admin_users'

  @column({ isPrimary: true })
  declare id: number

  /** 2 to 32 letters, digits and `._-` */
  @column()
  declare username: string

  @column({ serializeAs: null })
  declare hashedPassword: string

  @column({ consume: Boolean })
  declare isSuperuser: boolean

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoUpdate: true })
  declare updatedAt: DateTime | null
}
