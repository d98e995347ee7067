import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { checkEach, POSITIVE, TRUTH, type Check } from '#base/checks'
import { dialectOf } from '#base/database/dialects'
import { inTransaction } from '#base/database/transaction'
import { inUtc } from '#base/values/datetime'
import type { RunSql } from '#base/database/shared_transaction'
import type { Dialect } from '#base/database/dialect'
import { insertRowsSql } from '#base/sql/sql'
import AdminAuditLog from '../models/admin_audit_log.js'
import AdminEventLog from '../models/admin_event_log.js'
import {
  type AdminEvent,
  type EventIntegration,
  type EventRecord,
  EventType,
} from './event_integration.js'
import { reversalIn, storedChanges, storedReversal, storedState } from './event_records.js'
import { ROWS_PER_WRITE, chunks } from '#base/chunks'

interface DatabaseEventsOptions {
  /** Days after which an event is removed. Default: never */
  retentionDays?: number
  /**
   * Days after which the user name typed in a failed login is removed from the event, because users sometimes type the
   * password there. Default: 30
   */
  typedNameDays?: number
  /** Logs views of list and update pages as well; 'records' logs only views of update pages. Default: true */
  logViews?: boolean | 'records'
}

/* Maximum number of days; earlier dates cannot be compared on every database. */
const MOST_DAYS = 36_500
const DAYS: Check = [
  (value) => POSITIVE[0](value) && value <= MOST_DAYS,
  `a positive integer of ${MOST_DAYS} at the most`,
]
const VIEWS: Check = [
  (value) => TRUTH[0](value) || value === 'records',
  "true or false, or 'records' for those of records alone",
]
const CHECKS = { retentionDays: DAYS, typedNameDays: DAYS, logViews: VIEWS }

/** Maximum number of events or records in one statement of `logByStatements`, each number being a separate statement */
const EVENTS_PER_WRITE = 10

type Row = Record<string, unknown>

/**
 * Logs events to the database of the admin site. If the written records are in the same database, the log entries are
 * part of the same transaction, so that data and log always agree.
 */
export class DatabaseIntegration implements EventIntegration {
  readonly retentionDays: number | undefined
  readonly typedNameDays: number
  readonly logViews: boolean | 'records'

  /**
   * @throws ValueError  for an unknown option or an invalid value
   */
  constructor(options: DatabaseEventsOptions = {}) {
    checkEach('config/admin.ts: databaseEvents', options, CHECKS)
    const { retentionDays, typedNameDays = 30, logViews = true } = options
    this.retentionDays = retentionDays
    this.typedNameDays = typedNameDays
    this.logViews = logViews
  }

  isPartOf(client: QueryClientContract): boolean {
    return client.connectionName === (AdminEventLog.connection ?? db.primaryConnectionName)
  }

  async log(
    event: AdminEvent,
    { client, partOf }: { client?: QueryClientContract; partOf?: number } = {}
  ): Promise<number> {
    const own = client ?? db.connection(AdminEventLog.connection)
    const isOne = own.isTransaction || event.records.length === 0
    if (isOne) return await this.#log(event, own, partOf)
    return await inTransaction(own, (transaction) => this.#log(event, transaction, partOf))
  }

  /**
   * Removes events and typed names after their retention periods, in small batches so that no lock is held for long.
   *
   * @returns the number of removed events
   */
  async prune(): Promise<number> {
    const removed = await this.#removeOldEvents()
    await this.#forgetTypedNames()
    return removed
  }

  async #forgetTypedNames(): Promise<void> {
    const client = db.connection(AdminEventLog.connection)
    const oldest = inUtc(DateTime.utc().minus({ days: this.typedNameDays }))
    for (;;) {
      const rows = await client
        .from(AdminEventLog.table)
        .select('id')
        .where({ event_type: EventType.FAILED_LOGIN })
        .where('timestamp', '<', oldest)
        .whereNotNull('username')
        .limit(ROWS_PER_WRITE)
      const ids = rows.map((row) => row.id)
      if (ids.length > 0) {
        await client.from(AdminEventLog.table).whereIn('id', ids).update({ username: null })
      }
      if (ids.length < ROWS_PER_WRITE) return
    }
  }

  async #removeOldEvents(): Promise<number> {
    if (this.retentionDays === undefined) return 0
    const client = db.connection(AdminEventLog.connection)
    const oldest = DateTime.utc().minus({ days: this.retentionDays })
    let removed = 0
    for (;;) {
      const batch = await inTransaction(client, async (transaction) => {
        const rows = await transaction
          .from(AdminEventLog.table)
          .select('id')
          .where('timestamp', '<', inUtc(oldest))
          .orderBy('timestamp')
          .limit(ROWS_PER_WRITE)
        const ids = rows.map((row) => row.id)
        await transaction.from(AdminAuditLog.table).whereIn('event_id', ids).delete()
        await transaction.from(AdminEventLog.table).whereIn('id', ids).delete()
        return ids.length
      })
      removed += batch
      if (batch < ROWS_PER_WRITE) return removed
    }
  }

  /**
   * Logs events with statements that run in the transaction of their writes.
   *
   * @returns the ids of the events
   */
  async logByStatements(
    events: readonly AdminEvent[],
    dialect: Dialect,
    run: RunSql
  ): Promise<number[]> {
    const [event] = events
    if (dialect.insertPairSql && events.length === 1 && event.records.length === 1) {
      const timestamp = inUtc(event.timestamp)
      const row = auditRow(event.records[0], timestamp)
      const first = { table: AdminEventLog.table, row: eventRow(event, timestamp) }
      const second = { table: AdminAuditLog.table, row, reference: 'event_id' }
      const [{ key }] = await run(dialect.insertPairSql(first, second))
      return [Number(key)]
    }
    const ids: number[] = []
    for (const some of chunks(events, EVENTS_PER_WRITE)) {
      const rows = some.map((one) => eventRow(one, inUtc(one.timestamp)))
      const { sql, bindings } = insertRowsSql(dialect.quote(AdminEventLog.table), rows)
      const keys = await run({ sql: `${sql} returning id as key`, bindings })
      /* The order of returned rows is not promised; ids ascend in the order of the values. */
      ids.push(...keys.map(({ key }) => Number(key)).toSorted((one, other) => one - other))
    }
    const audits = events.flatMap(({ records, timestamp }, index) =>
      records.map((record) => ({ event_id: ids[index], ...auditRow(record, inUtc(timestamp)) }))
    )
    for (const some of chunks(audits, EVENTS_PER_WRITE)) {
      await run(insertRowsSql(dialect.quote(AdminAuditLog.table), some))
    }
    return ids
  }

  async #log(
    event: AdminEvent,
    client: QueryClientContract,
    partOf: number | undefined
  ): Promise<number> {
    const timestamp = inUtc(event.timestamp)
    const insert = (table: string, row: Row) => dialectOf(client).insertRow(client, table, row)
    const head = eventRow(event, timestamp)
    if (partOf !== undefined) {
      const { details } = head
      await client.from(AdminEventLog.table).where('id', partOf).update({ details })
    }
    const id = partOf ?? (await insert(AdminEventLog.table, head))
    const rows = event.records.map((record) => ({ event_id: id, ...auditRow(record, timestamp) }))
    if (rows.length === 1) await insert(AdminAuditLog.table, rows[0])
    else {
      const knex = client.getWriteClient()
      for (const some of chunks(rows, ROWS_PER_WRITE)) {
        await knex.table(AdminAuditLog.table).insert(some)
      }
    }
    return Number(id)
  }
}

function eventRow(event: AdminEvent, timestamp: string): Row {
  return {
    timestamp,
    event_type: event.type,
    status: event.status,
    user_id: event.userId,
    username: event.username,
    session_id: event.sessionId,
    ip_address: event.ipAddress,
    user_agent: event.userAgent,
    resource_type: event.resourceType,
    resource_id: event.resourceId,
    details: event.details && JSON.stringify(event.details),
  }
}

/** Returns the row of an audit record, without the id of the event. */
function auditRow(record: EventRecord, timestamp: string): Row {
  return {
    timestamp,
    resource_type: record.resourceType,
    resource_id: record.resourceId,
    action: record.action,
    previous_state: storedState(record.previousState),
    new_state: storedState(record.newState),
    changes: storedChanges(record.changes),
    reversal: storedReversal(reversalIn(record)),
  }
}

/**
 * Logs events in tables of the admin site: `eventIntegration` of `config/admin.ts`.
 *
 * @param options  retention of events in days, and the views to log; default: no limit, all views
 * @throws ValueError  for an unknown option or an invalid value
 */
export function databaseEvents(options?: DatabaseEventsOptions): DatabaseIntegration {
  return new DatabaseIntegration(options)
}

/** The properties of the site that event pages read. */
export interface WithEventLog {
  readonly eventIntegration: EventIntegration | undefined
}

/** Returns true if the site stores events that the pages can read. */
export function hasEventLog({ eventIntegration }: WithEventLog): boolean {
  return eventIntegration instanceof DatabaseIntegration
}
