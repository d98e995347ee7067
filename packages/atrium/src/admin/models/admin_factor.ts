import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import { AdminModel } from './admin_model.js'

/** Kinds of second factors: `totp` is an authenticator app [U8, U9] */
export type FactorKind = 'totp' | 'passkey'

/**
 * A second factor of an admin user. Its secret is encrypted with the application's key, and no page, event or
 * log contains it. [U8]
 */
export default class AdminFactor extends AdminModel {
  static table = 'admin_factors'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare userId: number

  @column()
  declare kind: FactorKind

  /** For the user, who can have several */
  @column()
  declare name: string

  @column({ serializeAs: null })
  declare secret: string

  /** SHA-256 of a passkey's credential id, in hex */
  @column({ serializeAs: null })
  declare credentialHash: string | null

  /**
   * The highest counter that was used; null: none. Of a code it is the number of its 30 seconds since 1970, of a
   * passkey that of its uses, if it counts them
   */
  @column({
    serializeAs: null,
    consume: (value: unknown) => (value === null || value === undefined ? null : Number(value)),
  })
  declare counter: number | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare lastUsedAt: DateTime | null
}
