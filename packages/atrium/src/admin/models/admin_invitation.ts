import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import { AdminModel } from './admin_model.js'

/**
 * One-time link with which a user sets the password. A user has at most one, and a new link replaces the previous one.
 */
export default class AdminInvitation extends AdminModel {
  static table = 'admin_invitations'

  @column({ isPrimary: true })
  declare userId: number

  /** SHA-256 of the link's token, in hex */
  @column({ serializeAs: null })
  declare hash: string

  @column.dateTime()
  declare expiresAt: DateTime
}
