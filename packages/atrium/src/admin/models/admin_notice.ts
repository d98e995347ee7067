import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
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

/**
 * Kinds of notices for users about their accounts. The text of each kind is in the catalogue, below `notices.kinds`.
 */
export const NOTICE_KINDS = [
  'new_device',
  'password_changed',
  'password_set',
  'email_changed',
  'token_made',
  'factor_added',
  'factor_removed',
  'factors_reset',
  'recovery_codes_made',
  'recovery_code_used',
  'second_step_failed',
  'sso_linked',
  'sso_unlinked',
  'passkey_cloned',
  'webhook_off',
] as const

export type NoticeKind = (typeof NOTICE_KINDS)[number]

/**
 * Data of a notice in addition to the kind. It must not contain a secret, because it is displayed, stored and sent by
 * email.
 */
export interface NoticeData {
  /** Browser and system, such as `Firefox on Linux` */
  device?: string | null
  /** Network address */
  address?: string | null
  /** Name of the token, factor, passkey or webhook */
  name?: string
  /** Name of the user who caused the notice, if it was another user */
  by?: string
}
