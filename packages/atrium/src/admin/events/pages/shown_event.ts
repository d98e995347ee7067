import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import type AdminEventLog from '../../models/admin_event_log.js'
import { markOf, notesOf, unnamedIn, type EventMark } from './event_words.js'
import { inSentence } from '../../text/in_sentence.js'
import { plainText, type PlainText } from '../../text/plain_text.js'
import { momentOf, type Moment } from '../../time/moment.js'
import type { LoggedRecord, RecordPlaces } from './record_places.js'

/**
 * Subject of an event.
 */
export interface Subject {
  /** Singular name of the model */
  model: string
  /** Title of the record; null for several records or none */
  record: PlainText | null
  href: string | null
  /** Number of records, if several */
  count: number | null
}

/**
 * An event as shown on the pages.
 */
export interface ShownEvent {
  id: number
  url: string
  moment: Moment
  mark: EventMark
  failed: boolean
  who: PlainText | null
  /** Text to show if there is no user name */
  unnamed: string
  subject: Subject | null
  address: PlainText | null
  /** Additional notes */
  notes: string[]
}

/**
 * @param places  titles and URLs of the logged records
 */
export function shownEvent(
  site: AdminSite,
  event: AdminEventLog,
  places: RecordPlaces
): ShownEvent {
  return {
    id: event.id,
    url: site.url(`/management/events/${event.id}`),
    moment: momentOf(event.timestamp),
    mark: markOf(site, event.eventType),
    failed: event.status === 'failure',
    who: event.username === null ? null : plainText(event.username),
    unnamed: unnamedIn(site, event),
    subject: subjectOf(site, event, places, event.details ?? {}),
    address: event.ipAddress === null ? null : plainText(event.ipAddress),
    notes: notesOf(site, event.details),
  }
}

interface Known {
  /** Number of records, if several */
  count?: number | null
  /** Last known state of the record, if it was deleted */
  state?: Record<string, unknown> | null
}

/**
 * Title, URL and model name of a logged record.
 */
export function subjectOf(
  site: AdminSite,
  record: LoggedRecord,
  places: RecordPlaces,
  { count = null, state = null }: Known = {}
): Subject | null {
  const { resourceType, resourceId } = record
  if (!resourceType) return null
  const view = site.models.get(resourceType)
  if (resourceId === null || resourceId === '') {
    const model = (count === 1 ? view?.singular : view?.label) ?? plainText(resourceType).text
    const isCounted = count !== null
    return { model: isCounted ? inSentence(model) : model, record: null, href: null, count }
  }
  const model = view?.singular ?? plainText(resourceType).text
  const place = places.of(record)
  const title = plainText(
    place?.title ?? titleInState(places.views.get(resourceType), state) ?? readable(resourceId)
  )
  return { model, record: title, href: place?.href ?? null, count: null }
}

/** Title in a logged state, if the model has a title column. */
export function titleInState(
  view: ModelView | undefined,
  state: Known['state']
): string | undefined {
  const column = view?.titleColumn
  if (!column || view.resource.conceals(column)) return undefined
  const title = state?.[column.apiName]
  return typeof title === 'string' && title.trim() !== '' ? title : undefined
}

/**
 * Readable form of a key: `7/a%2Fb` -> `7, a/b`.
 */
export function readable(resourceId: string): string {
  try {
    return resourceId.split('/').map(decodeURIComponent).join(', ')
  } catch {
    return resourceId
  }
}
