import type { HttpContext } from '@adonisjs/core/http'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'
import type AdminAuditLog from '../models/admin_audit_log.js'
import AdminUser from '../models/admin_user.js'
import { presentZone } from '../time/time_zone.js'
import { compare } from './comparison.js'
import { EVENT_STATUSES, EVENT_TYPES, EventFilters, readPage, pagesOf } from './event_filters.js'
import { EventReader } from './event_reader.js'
import { shownUndo } from '../undo/undoable_event.js'
import { markOf, shownEvent, subjectOf } from './shown_event.js'
import { historyUrl } from '../http/event_access.js'
import { LoggedRelations, ReadableRecords } from './readable_records.js'
import { plainText } from '../text/plain_text.js'
import { readKey, rowId } from '../views/record_items.js'
import { LoggedRecords } from './logged_records.js'
import { PageNotFound } from '../http/errors.js'
import { EventType } from '../events/event_integration.js'
import type AdminEventLog from '../models/admin_event_log.js'

/* Maximum number of suggested user names. */
const MOST_NAMES = 200

/** Pages of the event log: list and event. */
export class EventsController {
  readonly #log: EventReader

  constructor(private readonly site: Site & WithDatabase) {
    this.#log = new EventReader(site.dbConfig)
  }

  /** Renders the list of events; for htmx requests only the content, without the layout. */
  async index(ctx: HttpContext): Promise<string> {
    const requested = EventFilters.read(ctx.request.parsedUrl.query ?? '')
    const { rows, total, page, failed } = await this.#find(ctx, requested)
    const places = await LoggedRecords.find(this.site, ctx, rows)
    const filters = requested.at(page)
    const url = (number: number) => this.#url('') + filters.at(number)
    const data = {
      filters,
      failed,
      groups: foldViews(rows, filters, (event) => shownEvent(this.site, event, places)),
      pages: pagesOf(total, page, url),
      fields: { ...this.#fields(filters), names: await this.#names(ctx) },
      links: { events: this.#url('') },
      ignored: filters.ignored
        .map((name) => this.site.text(`events.filters.${name}`, { zone: presentZone() }))
        .join(', '),
    }
    ctx.response.vary('HX-Request')
    if (ctx.request.header('hx-request') === undefined) {
      return await this.site.render(ctx, 'pages/events', data)
    }
    ctx.response.header('hx-push-url', url(page))
    return await this.site.render(ctx, 'partials/events_content', data)
  }

  /** Renders an event and the changes of each record. */
  async show(ctx: HttpContext): Promise<string> {
    const id = rowId(ctx.params.id)
    const event = id === null ? null : await this.#log.find(id)
    if (!event) throw new PageNotFound()

    const { rows, total, page } = await this.#log.recordsOf(event, this.#requestedPage(ctx))
    await this.#load(rows.map(({ resourceType }) => resourceType))
    const places = await LoggedRecords.find(this.site, ctx, [event, ...rows])
    const readable = await ReadableRecords.find(this.site, ctx, rows, places.views)
    const relations = await LoggedRelations.find(this.site, ctx, rows, places.views)
    const { username, userId, sessionId, userAgent } = event
    return await this.site.render(ctx, 'pages/event', {
      event: shownEvent(this.site, event, places),
      by: { userId, sessionId, isKnown: username !== null },
      userAgent: userAgent === null ? null : plainText(userAgent, 300),
      pages: pagesOf(total, page, (number) => this.#url(`/${event.id}?page=${number}`)),
      records: rows.map((row) => {
        const isReadable = readable.has(row)
        const state = isReadable ? stateOf(row) : null
        const subject = subjectOf(this.site, row, places, { state })
        return {
          id: row.id,
          mark: markOf(this.site, row.action),
          subject,
          name: subject?.record?.text ?? '',
          history: isReadable ? this.#historyOf(row) : null,
          comparison: isReadable
            ? compare(this.site, row, places.views.get(row.resourceType), { relations })
            : null,
        }
      }),
      undo: await shownUndo(this.site, ctx, event),
      undoes: event.details?.undoes ? this.#url(`/${event.details.undoes}`) : null,
      links: { events: this.#url('') },
    })
  }

  /** Finds the events. If the query fails, the page shows an error instead of failing. */
  async #find(ctx: HttpContext, filters: EventFilters) {
    try {
      return { ...(await this.#log.list(filters)), failed: false }
    } catch (error) {
      ctx.logger.error({ err: error }, 'The event log could not be read')
      return { rows: [], total: 0, page: 1, failed: true }
    }
  }

  /**
   * Returns the user names to suggest. Names from the log are not suggested: those of failed logins come from anonymous
   * users.
   */
  async #names(ctx: HttpContext): Promise<string[]> {
    try {
      const own = this.site.dbConfig.adminSession()
      const client = readersOf(own) ?? own
      const users = await AdminUser.query({ client })
        .select('username')
        .orderBy('username')
        .limit(MOST_NAMES)
      return users.map(({ username }) => username)
    } catch (error) {
      ctx.logger.error({ err: error }, 'The names of the users could not be read')
      return []
    }
  }

  /**
   * Returns the options of the filters. A model that was removed from the site stays selectable while it is selected.
   */
  #fields({ values }: EventFilters) {
    const models = [...this.site.models.values()].map(({ name, label }) => ({ value: name, label }))
    const { resource_type: requested } = values
    if (requested && !this.site.models.has(requested)) {
      models.push({ value: requested, label: plainText(requested, 40).text })
    }
    return {
      types: EVENT_TYPES.map((type) => ({ value: type, label: markOf(this.site, type).word })),
      statuses: EVENT_STATUSES.map((status) => ({
        value: status,
        label: this.site.text(`events.statuses.${status}`),
      })),
      models: models.sort((one, other) => one.label.localeCompare(other.label, 'en')),
    }
  }

  #historyOf({ resourceType, resourceId }: { resourceType: string; resourceId: string }) {
    const view = this.site.models.get(resourceType)
    const [key] = (view?.resource.isLoaded && readKey(view, resourceId)) || []
    return view && key ? historyUrl(view, key) : null
  }

  /** Loads the resources, as the types of keys are only known from the database. */
  async #load(names: string[]) {
    const views = [...new Set(names)].flatMap((name) => this.site.models.get(name) ?? [])
    await Promise.allSettled(views.map((view) => view.resource.load()))
  }

  #requestedPage({ request }: HttpContext): number {
    return readPage(new URLSearchParams(request.parsedUrl.query ?? '').getAll('page').at(-1))
  }

  #url(place: string): string {
    return this.site.url(`/management/events${place}`)
  }
}

/** Returns the last known state of a record. */
function stateOf(row: AdminAuditLog | undefined): AdminAuditLog['newState'] {
  return row?.newState ?? row?.previousState ?? null
}

/** Minimum number of consecutive views that are folded */
const FOLDED_MIN = 3

/** Consecutive events of a page; folded if they are views of pages by one user. */
interface EventGroup<Row> {
  rows: Row[]
  isFolded: boolean
}

/**
 * Divides the events of a page into groups. Consecutive views of one user form a group that can be folded, because
 * most events are views, and changes are more important.
 * @param show  returns the variables of an event's row
 */
function foldViews<Row>(
  events: readonly AdminEventLog[],
  { values }: EventFilters,
  show: (event: AdminEventLog) => Row
): Array<EventGroup<Row>> {
  const runs: AdminEventLog[][] = []
  for (const event of events) {
    const run = runs.at(-1)
    const isSame = run && isView(run[0]) === isView(event)
    if (isSame && (!isView(event) || run[0].username === event.username)) run.push(event)
    else runs.push([event])
  }
  return runs.map((run) => ({
    rows: run.map(show),
    isFolded: isView(run[0]) && run.length >= FOLDED_MIN && values.event_type !== EventType.VIEW,
  }))
}

function isView({ eventType, status }: AdminEventLog): boolean {
  return eventType === EventType.VIEW && status === 'success'
}
