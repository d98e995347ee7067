import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'
import '#crud/lucid/naming_strategy'
import AdminUser from './admin_user.js'
import { jsonColumn } from './json_column.js'

/**
 * What a program calls the API with, in the name of a user. Only the hash of its secret is stored: who
 * reads the table can't use it. [P10]
 */
export default class AdminAccessToken extends BaseModel {
  static table = 'admin_access_tokens'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare userId: number

  @belongsTo(() => AdminUser, { foreignKey: 'userId' })
  declare user: BelongsTo<typeof AdminUser>

  /** What its owner calls it, as in `ci` */
  @column()
  declare name: string

  /** SHA-256 of the secret, in hex */
  @column({ serializeAs: null })
  declare hash: string

  /** As in `Product:read` */
  @column(jsonColumn)
  declare abilities: string[]

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  /** To the minute; null for never */
  @column.dateTime()
  declare lastUsedAt: DateTime | null

  /** Null for never */
  @column.dateTime()
  declare expiresAt: DateTime | null

  get isExpired(): boolean {
    return isOver(this)
  }
}

/**
 * Whether a token is no longer good for anything.
 */
export function isOver({ expiresAt }: Pick<AdminAccessToken, 'expiresAt'>): boolean {
  return expiresAt !== null && expiresAt.toMillis() <= Date.now()
}
