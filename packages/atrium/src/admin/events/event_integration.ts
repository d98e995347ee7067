import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { DateTime } from 'luxon'
import type { Changes, State } from '#crud'
import type { RecordChange } from '../models/admin_audit_log.js'
import type { EventDetails, EventStatus, EventType } from '../models/admin_event_log.js'

export { EventType, type EventDetails, type EventStatus } from '../models/admin_event_log.js'
export type { RecordChange } from '../models/admin_audit_log.js'

/**
 * Changes of an event to one record. States and changes are by API name; hidden columns and columns
 * with names of secrets are left out.
 */
export interface EventRecord {
  /** Class name of the model */
  resourceType: string
  /** Key as in URL paths: `12`, or `7/a%2Fb` for a composite key */
  resourceId: string
  action: RecordChange
  /** Null for a created record */
  previousState: State | null
  /** Null for a deleted record */
  newState: State | null
  changes: Changes
}

/** An event of the admin site. */
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
 * Destination of the site's events. The default is none.
 *
 * The site does not wait for `log`, and reports errors of it in the application's log, unless the integration takes
 * part in the transaction of a write (`isPartOf`).
 */
export interface EventIntegration {
  /**
   * @param event    the event to log
   * @param options  `client`: transaction of the write, if the log takes part in it; `partOf`: id of the event that
   *   this one continues, for example of an import in several transactions. Records are added to that event, and
   *   details replace the previous ones
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

  /** True to log views of list and update pages as well; 'records' logs only views of update pages. Default: true */
  readonly logViews?: boolean | 'records'

  /**
   * Removes events after their retention period.
   *
   * @returns the number of removed events
   */
  prune?(): Promise<number>
}
