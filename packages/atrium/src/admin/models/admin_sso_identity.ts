import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import { AdminModel } from './admin_model.js'

/** Link between an identity at an OpenID Connect provider and an admin user. */
export default class AdminSsoIdentity extends AdminModel {
  static table = 'admin_sso_identities'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare userId: number

  @column()
  declare issuer: string

  @column()
  declare subject: string

  /** SHA-256 of issuer and subject, in hex */
  @column({ serializeAs: null })
  declare print: string

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare lastUsedAt: DateTime | null
}
