import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import { AdminModel } from './admin_model.js'

/** A single-use code that replaces a second factor. Only the hash is stored. */
export default class AdminRecoveryCode extends AdminModel {
  static table = 'admin_recovery_codes'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare userId: number

  /** SHA-256 of the code, in hex */
  @column({ serializeAs: null })
  declare hash: string

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare usedAt: DateTime | null
}
