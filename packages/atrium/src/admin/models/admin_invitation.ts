import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import { AdminModel } from './admin_model.js'

/**
 * The link with which a user sets their password, once. A user has one at most: a newer one takes its
 * place. [U12]
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
