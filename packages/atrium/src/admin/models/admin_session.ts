import { belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'
import '#crud'
import { AdminModel } from './admin_model.js'
import AdminUser from './admin_user.js'

/**
 * The user that a superuser is signed in as, and since when.
 */
export interface ActsAs {
  userId: number
  /** The superuser */
  by: { id: number; username: string }
  /** Milliseconds since 1970 */
  since: number
}

/**
 * Data of a session without columns of their own, such as the tokens issued for it, so that its end can
 * revoke them.
 */
export interface SessionMetadata {
  /** `jti` -> expiry in seconds since 1970 */
  tokens: Record<string, number>
  /** Id of the role that a superuser sees the site as [U6] */
  viewAs?: number
  /** Seconds since 1970 when the user last proved who they are, if after the login [U11] */
  provedAt?: number
  /** Set if the session was begun by single sign-on: the ID token, encrypted [U15] */
  sso?: { idToken?: string }
  /** The user that a superuser is signed in as [U14] */
  actsAs?: ActsAs
}

/**
 * Session of a signed-in browser. Only the hash of its id is stored, so the table can't be used to
 * take it over. [B12]
 */
export default class AdminSession extends AdminModel {
  static table = 'admin_sessions'

  /** Rows that the dashboard counts: ended sessions are stored for a while. [B23] */
  static countFilters = { is_active: true }

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare userId: number

  @belongsTo(() => AdminUser, { foreignKey: 'userId' })
  declare user: BelongsTo<typeof AdminUser>

  /** SHA-256 of the cookie's id, in hex */
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
