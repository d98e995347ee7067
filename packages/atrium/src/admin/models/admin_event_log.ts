import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import { AdminModel, jsonColumn } from './admin_model.js'

/** Types of events. */
export const EventType = {
  CREATE: 'CREATE',
  UPDATE: 'UPDATE',
  DELETE: 'DELETE',
  IMPORT: 'IMPORT',
  VIEW: 'VIEW',
  EXPORT: 'EXPORT',
  LOGIN: 'LOGIN',
  LOGOUT: 'LOGOUT',
  FAILED_LOGIN: 'FAILED_LOGIN',
  REFUSED: 'REFUSED',
} as const

export type EventType = (typeof EventType)[keyof typeof EventType]

export type EventStatus = 'success' | 'failure'

/** Additional details of an event. */
export interface EventDetails {
  /** Number of written records, if more than one */
  count?: number
  /** On a deletion: true if the records were soft-deleted */
  soft?: boolean
  /** True if soft-deleted records were restored */
  restored?: boolean
  /** True if the password of a user was changed */
  password_changed?: boolean
  /** True if hidden columns were changed */
  hidden_fields_changed?: boolean
  /** Format of an export, such as `csv` */
  format?: string
  /** Query of the exported list */
  query?: string
  /** True if an export ended early, so that at most `count` records were received */
  interrupted?: boolean
  /** True if an export contains formulas without escaping */
  raw?: boolean
  /** Id of the background job that the write is part of */
  job?: number
  /** Name of the action of the application that wrote the records */
  action?: string
  /** Id of the event that this event reverts */
  undoes?: number
  /** Id of the event that produced the version from which the record, or some of its fields, were restored */
  restores?: number
  /** User name of the superuser who was signed in as the user of the event */
  acting_superuser?: string
  /** Name of the access token that was used */
  token_name?: string
  /** Full name of the system actor, if it is too long for `username` */
  system_name?: string
  /** Name of the file of an import */
  file?: string
  /**
   * Numbers of rows of an import that created a record, changed a record, left a record unchanged, or were invalid
   */
  new?: number
  changed?: number
  unchanged?: number
  faulty?: number
  /** True for a login with a browser that the user had not used before */
  new_device?: boolean
  /** Number of sessions that the user has ended on the account page */
  ended_sessions?: number
  /**
   * Reason of a failed login; `proof`: the reauthentication of a signed-in user failed. Or reason of a rejected
   * request, such as `permission`, `ability` or `throttled`
   */
  reason?: string
  /** Login method, if not by password: `sso`. Or HTTP method of a rejected request */
  method?: string
  /** Route of a rejected request, such as `/admin/Film/update/:id` */
  route?: string
  /** Response status of a rejected request, such as 403 */
  status?: number
  /** Change of the link between a user and an identity at the provider */
  sso?: 'linked' | 'unlinked'
  /** Factor that the user presented in addition to the password or instead of it */
  factor?: 'totp' | 'recovery_code' | 'passkey'
  /** Change of the second factors of a user */
  factors?: 'added' | 'replaced' | 'removed' | 'renamed' | 'codes_renewed' | 'reset'
  /** Name of the MCP session that the write belongs to */
  mcp_session?: string
  /** `allowed` if the owner of an access token has allowed further writes with the token */
  mcp_writes?: 'allowed'
  /** What was done with the messages of a webhook */
  webhook?: 'test_sent' | 'sent_again' | 'replayed'
  /** Page that was viewed */
  page?:
    | 'list'
    | 'update'
    | 'view'
    | 'columns'
    | 'default_view'
    | 'preferences'
    | 'view_as'
    | 'view_as_stop'
    | 'dashboard'
    | 'proof'
    | 'invitation'
    | 'sign_in_as'
    | 'sign_in_as_stop'
}

/** An event with the actor. The database integration writes the rows and never updates them. */
export default class AdminEventLog extends AdminModel {
  static table = 'admin_event_log'

  @column({ isPrimary: true })
  declare id: number

  @column.dateTime()
  declare timestamp: DateTime

  @column()
  declare eventType: EventType

  @column()
  declare status: EventStatus

  /** Null if no user is known */
  @column()
  declare userId: number | null

  /** User name at the time of the event; for a failed login, the typed name */
  @column()
  declare username: string | null

  /** Id of the session record, not the value of the cookie */
  @column()
  declare sessionId: number | null

  @column()
  declare ipAddress: string | null

  @column()
  declare userAgent: string | null

  /** Class name of the model */
  @column()
  declare resourceType: string | null

  /** Key as in URL paths, `12` or `7/a%2Fb`; null for several records */
  @column()
  declare resourceId: string | null

  @column(jsonColumn)
  declare details: EventDetails | null
}
