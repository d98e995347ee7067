import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import { dialectOf } from '#crud/internals'
import AdminAuditLog from '../../models/admin_audit_log.js'
import AdminEventLog from '../../models/admin_event_log.js'
import type { AdminSite } from '../../admin_site.js'
import { type EventFilters } from './event_filters.js'
import { lastPage, ROWS } from './pages.js'

/**
 * A page of rows, and its position in the whole.
 */
export interface Found<Row> {
  rows: Row[]
  total: number
  /** Number of the page; the last page if a later one was requested */
  page: number
}

/**
 * Reads the event log, on the admin connection and its read replica, so that no write blocks it.
 * [E3]
 */
export class EventReader {
  constructor(private readonly site: AdminSite) {}

  /**
   * Returns a page of the events that match the filters, newest first. [E5]
   */
  async list(filters: EventFilters): Promise<Found<AdminEventLog>> {
    return await this.#page(filters.page, () => this.#filtered(filters), this.#newestFirst)
  }

  /**
   * @returns null if there is no such event
   */
  async find(id: number): Promise<AdminEventLog | null> {
    const [event = null] = await read<AdminEventLog>(this.#events().where('id', id).limit(1))
    return event
  }

  /**
   * Returns a page of the records of an event, in the order in which they were written.
   */
  async recordsOf(event: AdminEventLog, page: number): Promise<Found<AdminAuditLog>> {
    return await this.#page(
      page,
      () => this.#audits().where('eventId', event.id),
      (query) => query.orderBy('id')
    )
  }

  /**
   * Returns a page of the changes of one record, newest first, with their events.
   */
  async history(
    resourceType: string,
    resourceId: string,
    page: number
  ): Promise<Found<AdminAuditLog> & { events: Map<number, AdminEventLog> }> {
    const found = await this.#page(
      page,
      () => this.#audits().where('resourceType', resourceType).where('resourceId', resourceId),
      this.#newestFirst
    )
    const ids = [...new Set(found.rows.map(({ eventId }) => eventId))]
    const events = await read<AdminEventLog>(this.#events().whereIn('id', ids))
    return { ...found, events: new Map(events.map((event) => [event.id, event])) }
  }

  /**
   * Returns the newest events of the given types.
   *
   * @param whose  restricts them to those of this user, except for some models, and those of these models
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
   * Returns the number of events and the time of the oldest.
   */
  async extent(): Promise<{ count: number; oldest: string | null }> {
    const query = this.#events().count('* as total').min('timestamp as oldest').pojo()
    const [row] = await read<{ total: number; oldest: string | Date | null }>(query as any)
    const { oldest } = row
    return {
      count: Number(row.total),
      oldest: oldest instanceof Date ? oldest.toISOString() : oldest,
    }
  }

  /** A page beyond the last one is the last one. */
  async #page<Query extends LogQuery>(
    asked: number,
    query: () => Query,
    order: (query: Query) => LogQuery
  ): Promise<Found<any>> {
    const [{ total }] = await read<{ total: number }>(query().count('* as total').pojo() as any)
    const page = Math.min(asked, lastPage(Number(total)))
    const rows = await read(
      order(query())
        .offset((page - 1) * ROWS)
        .limit(ROWS)
    )
    return { rows, total: Number(total), page }
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

  #newestFirst(query: LogQuery): LogQuery {
    return query.orderBy('timestamp', 'desc').orderBy('id', 'desc')
  }

  #events(): LogQuery {
    return AdminEventLog.query({ client: this.site.dbConfig.adminSession() }) as LogQuery
  }

  #audits(): LogQuery {
    return AdminAuditLog.query({ client: this.site.dbConfig.adminSession() }) as LogQuery
  }
}

type LogQuery = ModelQueryBuilderContract<LucidModel, any>

async function read<Row>(query: LogQuery): Promise<Row[]> {
  const { client } = query
  return await dialectOf(client).read(client, query, () => query as unknown as Promise<Row[]>)
}
