import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import type { PermissionsDocument } from './permissions_document.js'
import { raiseVersionsOfHolders } from './versions.js'
import { AdminModel, jsonColumn } from './admin_model.js'

/** A role: permissions by model, action, field and record. */
export default class AdminRole extends AdminModel {
  static table = 'admin_roles'

  static boot() {
    if (this.booted) return
    super.boot()
    raiseVersionsOfHolders(this)
  }

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare description: string

  @column(jsonColumn)
  declare permissions: PermissionsDocument

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoUpdate: true })
  declare updatedAt: DateTime | null
}
