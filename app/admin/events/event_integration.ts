import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { DateTime } from 'luxon'
import type { Changes, State } from '#crud'
import type { EventType } from './event_type.js'

export type EventStatus = 'success' | 'failure'

/** What was done to a record; a restored one was updated. [B14] */
export type RecordAction = 'CREATE' | 'UPDATE' | 'DELETE'

/**
 * What is to be said of an event beside who, when and what.
 */
export interface EventDetails {
  /** How many records were written, where it is not one */
  count?: number
  /** Of a deletion: whether the records were only marked [A21] */
  soft?: boolean
  /** Whether soft-deleted records were taken back [B16] */
  restored?: boolean
  /** Whether a user got another password */
  password_changed?: boolean
  /** Whether something changed that no answer shows */
  hidden_fields_changed?: boolean
  /** What the API token is called that it was done by */
  token_name?: string
  /** The name of the own code that it was done by, where that is too long for `username` */
  system_name?: string
  /** Why a login failed */
  reason?: 'credentials'
  /** Which page was viewed */
  page?: 'list' | 'update'
}

/**
 * What an event did to one record. States and changes are by wire name; hidden columns and what is
 * called like a secret are left out. [E3, E4]
 */
export interface EventRecord {
  /** Name of the model's class */
  resourceType: string
  /** The key as it stands in paths: `12`, or `7/a%2Fb` for a composite one */
  resourceId: string
  action: RecordAction
  /** Null for a new record */
  previousState: State | null
  /** Null for a removed record */
  newState: State | null
  changes: Changes
}

/**
 * Something that happened, as it happened. [E2, E3]
 */
export interface AdminEvent {
  type: EventType
  status: EventStatus
  timestamp: DateTime
  /** Null for nobody known */
  userId: number | null
  /** Of a failed login, as it was typed */
  username: string | null
  /** The id of the session's record, never what is in the cookie */
  sessionId: number | null
  ipAddress: string | null
  userAgent: string | null
  /** Name of the model's class; null where no model is concerned */
  resourceType: string | null
  /** The record's key as it stands in paths; null for several or none */
  resourceId: string | null
  details: EventDetails | null
  /** One for each record that was written */
  records: EventRecord[]
}

/**
 * Where what happens in the admin site is logged. The site's default is none. [S58, E2]
 *
 * Nothing waits for `log`, and what it throws is reported in the application's log; unless the
 * integration says that its log is part of a write. [E4]
 */
export interface EventIntegration {
  /**
   * @param event    what happened
   * @param options  the transaction of the write that it is part of, if it is part of one
   */
  log(event: AdminEvent, options?: { client?: QueryClientContract }): Promise<void>

  /**
   * Whether a write made through this client is undone when it can't be logged: `log` is then awaited
   * inside its transaction. Default: it is called after the commit.
   */
  isPartOf?(client: QueryClientContract): boolean

  /** Whether views of list and update pages are logged, too. Default: true */
  readonly logViews?: boolean

  /**
   * Removes what is too old to be kept.
   *
   * @returns how many events were removed
   */
  prune?(): Promise<number>
}
