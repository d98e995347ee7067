import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import { AdminModel } from './admin_model.js'

/** A token that was revoked before it expired. */
export default class AdminTokenBlacklist extends AdminModel {
  static table = 'admin_token_blacklist'

  @column({ isPrimary: true })
  declare id: number

  /** `jti` of the token, not the token itself */
  @column()
  declare token: string

  @column.dateTime()
  declare expiresAt: DateTime
}
