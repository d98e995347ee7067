import { belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'
import '#crud'
import { AdminModel, jsonColumn } from './admin_model.js'
import AdminUser from './admin_user.js'

/**
 * Access token with which a program uses the API as a user. Only the hash of the secret is stored, so the table cannot
 * be used to sign in.
 */
export default class AdminAccessToken extends AdminModel {
  static table = 'admin_access_tokens'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare userId: number

  @belongsTo(() => AdminUser, { foreignKey: 'userId' })
  declare user: BelongsTo<typeof AdminUser>

  /** Name given by the owner, such as `ci` */
  @column()
  declare name: string

  /** SHA-256 of the secret, in hex */
  @column({ serializeAs: null })
  declare hash: string

  /** Abilities, such as `Product:read` */
  @column(jsonColumn)
  declare abilities: string[]

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  /** Time of the last use, accurate to the minute; null if never used */
  @column.dateTime()
  declare lastUsedAt: DateTime | null

  /** Null if the token does not expire */
  @column.dateTime()
  declare expiresAt: DateTime | null

  /** True if the token cannot write by any path */
  @column({ consume: Boolean })
  declare readOnly: boolean

  get isExpired(): boolean {
    return isOver(this)
  }
}

/** Returns true if the token has expired. */
export function isOver({ expiresAt }: Pick<AdminAccessToken, 'expiresAt'>): boolean {
  return expiresAt !== null && expiresAt.toMillis() <= Date.now()
}
