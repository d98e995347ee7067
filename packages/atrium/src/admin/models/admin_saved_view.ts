import { belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'
import '#crud'
import { raiseVersionsOfReaders } from './versions.js'
import { AdminModel } from './admin_model.js'
import AdminUser from './admin_user.js'

/** A list's query with columns and sorting, saved under a name. */
export default class AdminSavedView extends AdminModel {
  static table = 'admin_saved_views'

  static boot() {
    if (this.booted) return
    super.boot()
    raiseVersionsOfReaders(this)
  }

  @column({ isPrimary: true })
  declare id: number

  /** Name of the list's model, such as `Film` */
  @column()
  declare model: string

  @column()
  declare name: string

  /** Canonical query string of the list, without the question mark */
  @column()
  declare query: string

  /** Null if the owner of a shared view was removed */
  @column()
  declare ownerId: number | null

  @belongsTo(() => AdminUser, { foreignKey: 'ownerId' })
  declare owner: BelongsTo<typeof AdminUser>

  /** True if every user who can see the model can use the view */
  @column({ consume: Boolean })
  declare shared: boolean

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoUpdate: true })
  declare updatedAt: DateTime | null
}
