import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { DateTime } from 'luxon'
import type { Changes, State } from '#crud'

/**
 * Types of events. [S59, E2]
 */
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

/** Action on a record; a restore counts as an update. [B14] */
export type RecordAction = 'CREATE' | 'UPDATE' | 'DELETE'

/**
 * Additional details of an event.
 */
export interface EventDetails {
  /** Number of written records, if more than one */
  count?: number
  /** On a deletion: true if the records were soft-deleted [A21] */
  soft?: boolean
  /** True if soft-deleted records were restored [B16] */
  restored?: boolean
  /** True if the password of a user was changed */
  password_changed?: boolean
  /** True if hidden columns were changed */
  hidden_fields_changed?: boolean
  /** Format of an export, such as `csv` [D2] */
  format?: string
  /** Query of the exported list */
  query?: string
  /** True if an export ended early, so that at most `count` records were received */
  interrupted?: boolean
  /** True if an export contains formulas without escaping */
  raw?: boolean
  /** Id of the background job that the write is part of [D1] */
  job?: number
  /** Id of the event that this event reverts [R7] */
  undoes?: number
  /**
   * Id of the event of the version from which the record or some of its fields were restored [R8]
   */
  restores?: number
  /** User name of the superuser who was signed in as the user of the event [U14] */
  acting_superuser?: string
  /** Name of the access token that was used */
  token_name?: string
  /** Full name of the system actor, if it is too long for `username` */
  system_name?: string
  /** Name of the file of an import [D3] */
  file?: string
  /**
   * Numbers of rows of an import that created a record, changed a record, left a record unchanged, or were invalid
   */
  new?: number
  changed?: number
  unchanged?: number
  faulty?: number
  /** True for a login with a browser that the user had not used before [U16] */
  new_device?: boolean
  /** Number of sessions that the user has ended on the account page [U7] */
  ended_sessions?: number
  /**
   * Reason of a failed login; `proof`: the reauthentication of a signed-in user failed [U11]. Or reason of a rejected
   * request, such as `permission`, `ability` or `throttled`
   */
  reason?: string
  /** Login method, if not by password: `sso` [U15]. Or HTTP method of a rejected request */
  method?: string
  /** Route of a rejected request, such as `/admin/Film/update/:id` */
  route?: string
  /** Response status of a rejected request, such as 403 */
  status?: number
  /** Change of the link between a user and an identity at the provider [U15] */
  sso?: 'linked' | 'unlinked'
  /** Factor that the user presented in addition to the password or instead of it [U8, U11] */
  factor?: 'totp' | 'recovery_code' | 'passkey'
  /** Change of the second factors of a user [U8] */
  factors?: 'added' | 'replaced' | 'removed' | 'renamed' | 'codes_renewed' | 'reset'
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
    | 'proof'
    | 'invitation'
    | 'sign_in_as'
    | 'sign_in_as_stop'
}

/**
 * Changes of an event to one record. States and changes are by API name; hidden columns and columns
 * with names of secrets are left out. [E3, E4]
 */
export interface EventRecord {
  /** Class name of the model */
  resourceType: string
  /** Key as in URL paths: `12`, or `7/a%2Fb` for a composite key */
  resourceId: string
  action: RecordAction
  /** Null for a created record */
  previousState: State | null
  /** Null for a deleted record */
  newState: State | null
  changes: Changes
}

/**
 * An event of the admin site. [E2, E3]
 */
export interface AdminEvent {
  type: EventType
  status: EventStatus
  timestamp: DateTime
  /** Null if no user is known */
  userId: number | null
  /** The typed name, for a failed login */
  username: string | null
  /** Id of the session record, not the value of the cookie */
  sessionId: number | null
  ipAddress: string | null
  userAgent: string | null
  /** Class name of the model; null if no model is involved */
  resourceType: string | null
  /** Key of the record as in URL paths; null for several records or none */
  resourceId: string | null
  details: EventDetails | null
  /** One entry per written record */
  records: EventRecord[]
}

/**
 * Destination of the site's events. The default is none. [S58, E2]
 *
 * The site does not wait for `log`, and reports errors of it in the application's log, unless the integration takes
 * part in the transaction of a write (`isPartOf`). [E4]
 */
export interface EventIntegration {
  /**
   * @param event    the event to log
   * @param options  `client`: transaction of the write, if the log takes part in it; `partOf`: id of the event that
   *   this one continues, for example of an import in several transactions. Records are added to that event, and details
   *   replace the previous ones
   * @returns the id of the event, if the site can read the event
   */
  log(
    event: AdminEvent,
    options?: { client?: QueryClientContract; partOf?: number }
  ): Promise<number | void>

  /**
   * Returns true if a write through this client must be rolled back when logging fails. `log` is then awaited inside
   * the transaction. Default: `log` is called after the commit.
   */
  isPartOf?(client: QueryClientContract): boolean

  /**
   * True to log views of list and update pages as well; 'records' logs only views of update pages. Default: true
   */
  readonly logViews?: boolean | 'records'

  /**
   * Removes events after their retention period.
   *
   * @returns the number of removed events
   */
  prune?(): Promise<number>
}
