import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import type { NoticeData, NoticeKind } from './notice_kinds.js'
import { AdminModel, jsonColumn } from './admin_model.js'

/** A notice for a user about the user's account. Only `Notices` writes it. */
export default class AdminNotice extends AdminModel {
  static table = 'admin_notices'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare userId: number

  @column()
  declare kind: NoticeKind

  @column(jsonColumn)
  declare data: NoticeData

  /** Id of the session that caused the notice; null if no session did */
  @column()
  declare sessionId: number | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  /** Null until the user marks the notice as seen */
  @column.dateTime()
  declare seenAt: DateTime | null
}
