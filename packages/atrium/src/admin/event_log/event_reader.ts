import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import { dialectOf } from '#base/database/dialects'
import AdminAuditLog from '../models/admin_audit_log.js'
import AdminEventLog from '../models/admin_event_log.js'
import { EventType } from '../events/event_integration.js'
import { type EventFilters, lastPage, ROWS } from './event_filters.js'
import type { DatabaseConfig } from '../config/database_config.js'

/** A page of rows, and the number of all rows. */
export interface Found<Row> {
  rows: Row[]
  total: number
  /** Number of the page; the last page if a later one was requested */
  page: number
}

/** Identifies the record whose history is read. */
export interface HistoryOf {
  resourceType: string
  /** Key in the format of URL paths, without the leading slash */
  resourceId: string
  /** Id of the first change to read; 0 for all */
  from?: number
}

/* Maximum number of events on a page of a history that changed only inline rows of the record */
const MOST_ROW_EVENTS = 100

/* Columns of the audit log without the undo data, which can be large */
const SHOWN_COLUMNS = [
  'id',
  'eventId',
  'timestamp',
  'resourceType',
  'resourceId',
  'action',
  'previousState',
  'newState',
  'changes',
]

/**
 * Reads the event log over the admin connection, from its read replica if there is one, so that writes do not block
 * reads.
 */
export class EventReader {
  constructor(private readonly database: DatabaseConfig) {}

  /** Returns a page of the events that match the filters, newest first. */
  async list(filters: EventFilters): Promise<Found<AdminEventLog>> {
    return await this.#page(filters.page, () => this.#filtered(filters), this.#newestFirst)
  }

  /** Returns an event, or null if it does not exist. */
  async find(id: number): Promise<AdminEventLog | null> {
    const [event = null] = await read<AdminEventLog>(this.#events().where('id', id).limit(1))
    return event
  }

  /** Returns a page of the records of an event, in the order in which they were written. */
  async recordsOf(event: AdminEventLog, page: number): Promise<Found<AdminAuditLog>> {
    return await this.#page(
      page,
      () => this.#audits().where('eventId', event.id),
      (query) => query.orderBy('id')
    )
  }

  /** Returns a page of the changes of one record, newest first, with their events. */
  async history(
    record: HistoryOf,
    page: number
  ): Promise<Found<AdminAuditLog> & { events: Map<number, AdminEventLog> }> {
    const found = await this.#page(
      page,
      () => this.#changes(record).select(...SHOWN_COLUMNS),
      this.#newestFirst
    )
    const ids = [...new Set(found.rows.map(({ eventId }) => eventId))]
    const events = await read<AdminEventLog>(this.#events().whereIn('id', ids))
    return { ...found, events: new Map(events.map((event) => [event.id, event])) }
  }

  /**
   * Returns the events of a record's form that changed only inline rows, newest first, with the names of the rows'
   * models.
   *
   * @param page  page of the record's own changes; only events between these are returned
   */
  async rowEvents(
    record: HistoryOf,
    page: { number: number; last: AdminAuditLog | null }
  ): Promise<Array<{ event: AdminEventLog; models: Set<string> }>> {
    const { resourceType, resourceId, from } = record
    const query = this.#events()
      .where({ resourceType, resourceId, eventType: EventType.UPDATE, status: 'success' })
      .whereNotIn('id', this.#changes({ resourceType, resourceId }).select('eventId'))
    if (page.last) query.where('id', '>', page.last.eventId)
    const [before] = page.number > 1 ? await this.#lastOfPage(record, page.number - 1) : []
    if (before) query.where('id', '<', before.eventId)
    const events = await read<AdminEventLog>(this.#newestFirst(query).limit(MOST_ROW_EVENTS))
    const ids = events.map(({ id }) => id)
    const rows = this.#audits().select('eventId', 'resourceType').whereIn('eventId', ids)
    if (from) rows.where('id', '>=', from)
    const written = await read<AdminAuditLog>(rows.groupBy('eventId', 'resourceType'))
    const models = Map.groupBy(written, ({ eventId }) => eventId)
    return events.flatMap((event) => {
      const some = models.get(event.id)
      return some ? { event, models: new Set(some.map((one) => one.resourceType)) } : []
    })
  }

  /** Returns the newest change of one record; null if none is logged. */
  async lastChange(record: HistoryOf): Promise<AdminAuditLog | null> {
    const query = this.#changes(record).select(...SHOWN_COLUMNS)
    const [row = null] = await read<AdminAuditLog>(this.#newestFirst(query).limit(1))
    return row
  }

  /**
   * Returns the id of the first change that belongs to the record which has the key now: the change after the last
   * permanent deletion, or the last creation; 0 if neither is logged.
   */
  async beginOf(record: HistoryOf): Promise<number> {
    const query = this.#changes(record).select('id', 'action')
    query.where((either) =>
      either
        .where('action', 'CREATE')
        .orWhere((deleted) => deleted.where('action', 'DELETE').whereNull('newState'))
    )
    const [row] = await read<AdminAuditLog>(query.orderBy('id', 'desc').limit(1))
    if (!row) return 0
    return row.action === 'CREATE' ? row.id : row.id + 1
  }

  /** Returns the change of a record by an event; null if there is none. */
  async change(record: HistoryOf, eventId: number): Promise<AdminAuditLog | null> {
    const query = this.#changes(record)
      .select(...SHOWN_COLUMNS)
      .where('eventId', eventId)
    const [row = null] = await read<AdminAuditLog>(this.#newestFirst(query).limit(1))
    return row
  }

  /** Returns the ids of the events before and after a change in its record's history; null if there is none. */
  async nextToChange(
    record: HistoryOf,
    { id }: AdminAuditLog
  ): Promise<{ earlier: number | null; later: number | null }> {
    const next = async (operator: '<' | '>', direction: 'asc' | 'desc') => {
      const query = this.#changes(record).select('id', 'eventId').where('id', operator, id)
      const [row] = await read<AdminAuditLog>(query.orderBy('id', direction).limit(1))
      return row?.eventId ?? null
    }
    return { earlier: await next('<', 'desc'), later: await next('>', 'asc') }
  }

  /**
   * Returns the undo data of a record's changes, starting at the given one, oldest first.
   *
   * @param from  id of the first change
   * @param most  maximum number of changes
   */
  async reversals(
    { resourceId, resourceType }: HistoryOf,
    from: number,
    most: number
  ): Promise<AdminAuditLog[]> {
    const query = this.#changes({ resourceId, resourceType, from }).select('id', 'reversal')
    return await read<AdminAuditLog>(query.orderBy('id').limit(most))
  }

  /**
   * Returns the newest events of the given types.
   *
   * @param whose  limits the result to (a) events of the user, except those on models of `withoutTypes`, and (b) events
   *   of all users on models of `resourceTypes`
   */
  async recent(
    most: number,
    types: readonly string[],
    whose?: {
      userId: number
      resourceTypes: readonly string[]
      withoutTypes: readonly string[]
    }
  ): Promise<AdminEventLog[]> {
    const query = this.#events().whereIn('eventType', [...types])
    if (whose) {
      query.where((either) =>
        either
          .where((own) =>
            own.where('userId', whose.userId).whereNotIn('resourceType', [...whose.withoutTypes])
          )
          .orWhereIn('resourceType', [...whose.resourceTypes])
      )
    }
    return await read<AdminEventLog>(this.#newestFirst(query).limit(most))
  }

  /**
   * Returns the records that a user created or changed last, without duplicates, newest first; deletions are left
   * out.
   *
   * @param most  maximum number of events to read, and of rows of the audit log
   */
  async recordsWrittenBy(
    { id, username }: { id: number; username: string },
    most: number
  ): Promise<AdminAuditLog[]> {
    /* The name is indexed. The id is compared as well, as the name may have belonged to another user before. */
    const mine = this.#events()
      .where({ username, userId: id, status: 'success' })
      .whereIn('eventType', [EventType.CREATE, EventType.UPDATE])
    const events = await read<AdminEventLog>(this.#newestFirst(mine).limit(most))
    if (events.length === 0) return []
    const audits = await read<AdminAuditLog>(
      this.#audits()
        .select('id', 'eventId', 'timestamp', 'resourceType', 'resourceId')
        .whereIn(
          'eventId',
          events.map((event) => event.id)
        )
        .orderBy('eventId', 'desc')
        .orderBy('id', 'desc')
        .limit(most)
    )
    const firsts = new Map<string, AdminAuditLog>()
    for (const audit of audits) {
      const name = `${audit.resourceType}/${audit.resourceId}`
      if (!firsts.has(name)) firsts.set(name, audit)
    }
    return [...firsts.values()]
  }

  /** Returns the number of events and the time of the oldest; null without events. */
  async extent(): Promise<{ count: number; oldest: string | null }> {
    const query = this.#events().count('* as total').min('timestamp as oldest').pojo()
    const [row] = await read<{ total: number; oldest: string | Date | null }>(query as any)
    const { oldest } = row
    return {
      count: Number(row.total),
      oldest: oldest instanceof Date ? oldest.toISOString() : oldest,
    }
  }

  /** Returns a page of rows: the requested one, or the last one if there are fewer pages. */
  async #page<Query extends LogQuery>(
    requested: number,
    query: () => Query,
    order: (query: Query) => LogQuery
  ): Promise<Found<any>> {
    const [{ total }] = await read<{ total: number }>(
      query().clearSelect().count('* as total').pojo() as any
    )
    const page = Math.min(requested, lastPage(Number(total)))
    const rows = await read(
      order(query())
        .offset((page - 1) * ROWS)
        .limit(ROWS)
    )
    return { rows, total: Number(total), page }
  }

  async #lastOfPage(record: HistoryOf, page: number): Promise<AdminAuditLog[]> {
    const query = this.#changes(record).select('id', 'eventId')
    return await read<AdminAuditLog>(
      this.#newestFirst(query)
        .offset(page * ROWS - 1)
        .limit(1)
    )
  }

  #filtered(filters: EventFilters): LogQuery {
    const { event_type: type, status, username, resource_type: model } = filters.values
    const { from, before } = filters.period
    const query = this.#events()
    if (type) query.where('eventType', type)
    if (status) query.where('status', status)
    if (username) query.where('username', username)
    if (model) query.where('resourceType', model)
    if (from) query.where('timestamp', '>=', from)
    if (before) query.where('timestamp', '<', before)
    return query
  }

  #changes({ resourceType, resourceId, from }: HistoryOf): LogQuery {
    const query = this.#audits().where({ resourceType, resourceId })
    return from ? query.where('id', '>=', from) : query
  }

  #newestFirst(query: LogQuery): LogQuery {
    return query.orderBy('timestamp', 'desc').orderBy('id', 'desc')
  }

  #events(): LogQuery {
    return AdminEventLog.query({ client: this.database.adminSession() }) as LogQuery
  }

  #audits(): LogQuery {
    return AdminAuditLog.query({ client: this.database.adminSession() }) as LogQuery
  }
}

type LogQuery = ModelQueryBuilderContract<LucidModel, any>

async function read<Row>(query: LogQuery): Promise<Row[]> {
  const { client } = query
  return await dialectOf(client).read(client, query, () => query as unknown as Promise<Row[]>)
}
