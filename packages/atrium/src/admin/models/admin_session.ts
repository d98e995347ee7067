import { belongsTo, column } from '@adonisjs/lucid/orm'
import type { ModelAttributes } from '@adonisjs/lucid/types/model'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'
import '#crud'
import { AdminModel } from './admin_model.js'
import AdminUser from './admin_user.js'

/** The user that a superuser is signed in as, and the start time. */
export interface ActsAs {
  userId: number
  /** The superuser who is signed in as the user */
  by: { id: number; username: string }
  /** Milliseconds since 1970 */
  since: number
}

/**
 * Data of a session that is not in columns, such as the tokens that were issued for the session and are revoked with
 * it.
 */
export interface SessionMetadata {
  /** Expiry of each token by `jti`, in seconds since 1970 */
  tokens: Record<string, number>
  /** Id of the role that a superuser views the site as */
  viewAs?: number
  /** Time of the last reauthentication after the login, in seconds since 1970 */
  provedAt?: number
  /** Set if the session began by single sign-on: the encrypted ID token */
  sso?: { idToken?: string }
  /** The user that a superuser is signed in as */
  actsAs?: ActsAs
}

/**
 * Session of a signed-in browser. Only the hash of the id is stored, so the table cannot be used to take over the
 * session.
 */
export default class AdminSession extends AdminModel {
  static table = 'admin_sessions'

  /** Filter for the number on the dashboard, because ended sessions are stored for a while. */
  static countFilters = { is_active: true }

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare userId: number

  @belongsTo(() => AdminUser, { foreignKey: 'userId' })
  declare user: BelongsTo<typeof AdminUser>

  /** SHA-256 of the id in the cookie, in hex */
  @column({ serializeAs: null })
  declare sessionId: string

  @column()
  declare ipAddress: string | null

  @column()
  declare userAgent: string | null

  @column()
  declare deviceInfo: string | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare lastActivity: DateTime

  @column({ consume: Boolean })
  declare isActive: boolean

  @column({
    serializeAs: null,
    prepare: (value: SessionMetadata) => JSON.stringify(value),
    consume: (value: string | SessionMetadata) =>
      typeof value === 'string' ? JSON.parse(value) : value,
  })
  declare sessionMetadata: SessionMetadata
}

/**
 * Session of a request as plain attributes, because creating a model instance would take longer than finding the
 * session.
 */
export type OpenSession = ModelAttributes<AdminSession>
