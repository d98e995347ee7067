import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'
import '#crud/lucid/naming_strategy'
import AdminUser from './admin_user.js'

/**
 * What a session keeps beside its columns: the tokens issued for it, so that its end can revoke them.
 */
export interface SessionMetadata {
  /** `jti` -> expiry in seconds since 1970 */
  tokens: Record<string, number>
}

/**
 * A signed-in browser. Only the hash of its id is stored: who reads the table can't take it over.
 * [B12]
 */
export default class AdminSession extends BaseModel {
  static table = 'admin_sessions'

  /** Which rows the dashboard counts: those that have ended are only kept for a while. [B23] */
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
