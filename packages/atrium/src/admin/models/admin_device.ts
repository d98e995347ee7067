import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import { AdminModel } from './admin_model.js'

/** A browser that a user has signed in with, recognized by a cookie of which only the hash is stored. */
export default class AdminDevice extends AdminModel {
  static table = 'admin_devices'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare userId: number

  /** SHA-256 of the cookie, in hex */
  @column({ serializeAs: null })
  declare hash: string

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare lastUsedAt: DateTime
}
