import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud/lucid/naming_strategy'

/**
 * A token that was revoked before it expired. [B12]
 */
export default class AdminTokenBlacklist extends BaseModel {
  static table = 'admin_token_blacklist'

  @column({ isPrimary: true })
  declare id: number

  /** The token's `jti`, never the token itself */
  @column()
  declare token: string

  @column.dateTime()
  declare expiresAt: DateTime
}
