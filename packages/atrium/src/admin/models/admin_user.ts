import { column, manyToMany } from '@adonisjs/lucid/orm'
import type { ManyToMany } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'
import '#crud'
import { raiseOwnVersion } from './versions.js'
import { AdminModel, jsonColumn } from './admin_model.js'
import AdminRole from './admin_role.js'

/* Lengths of user names */
export const SHORTEST_USERNAME = 2
export const LONGEST_USERNAME = 32

/** Name of the field with the ids of a user's roles */
export const ROLES = 'roles'

/**
 * A user of the admin site. Only the hash of the password is stored, and no response, list, event or log contains it.
 */
export default class AdminUser extends AdminModel {
  static table = 'admin_users'

  static boot() {
    if (this.booted) return
    super.boot()
    raiseOwnVersion(this, ['attributes', 'isSuperuser'])
  }

  @column({ isPrimary: true })
  declare id: number

  /** 2 to 32 letters, digits and `._-` */
  @column()
  declare username: string

  @column({ serializeAs: null })
  declare hashedPassword: string

  /** Email address for the site's mails to the user; null if not known */
  @column()
  declare email: string | null

  @column({ consume: Boolean })
  declare isSuperuser: boolean

  @manyToMany(() => AdminRole, {
    pivotTable: 'admin_user_roles',
    pivotForeignKey: 'user_id',
    pivotRelatedForeignKey: 'role_id',
  })
  declare roles: ManyToMany<typeof AdminRole>

  /** Empty if no attributes are set */
  @column({
    ...jsonColumn,
    consume: (value: unknown): AdminUserAttributes => jsonColumn.consume(value) ?? {},
  })
  declare attributes: AdminUserAttributes

  /** Number that changes whenever the user's permissions, or the user's default views of lists, may have changed */
  @column({ serializeAs: null })
  declare permissionsVersion: number

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoUpdate: true })
  declare updatedAt: DateTime | null
}

/**
 * Attributes that the application adds to users, for scopes.
 *
 * @example
 * ```ts
 * declare module 'adonis-atrium/admin' {
 *   interface AdminUserAttributes {
 *     branch_id?: number
 *   }
 * }
 * ```
 */
export interface AdminUserAttributes {}
