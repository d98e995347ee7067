import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import { AdminModel } from './admin_model.js'

/** Kinds of second factors: `totp` is an authenticator app */
type FactorKind = 'totp' | 'passkey'

/**
 * A second factor of an admin user. The secret is encrypted with the application's key, and no page, event or log
 * contains it.
 */
export default class AdminFactor extends AdminModel {
  static table = 'admin_factors'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare userId: number

  @column()
  declare kind: FactorKind

  /** Name that the user has given to distinguish several factors */
  @column()
  declare name: string

  @column({ serializeAs: null })
  declare secret: string

  /** SHA-256 of a passkey's credential id, in hex */
  @column({ serializeAs: null })
  declare credentialHash: string | null

  /**
   * Highest used counter; null: none. For an authenticator app, the number of the 30-second period since 1970; for a
   * passkey, the signature counter, if the passkey has one
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
