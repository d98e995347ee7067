import { type DateTime } from 'luxon'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import type AdminEventLog from '../../models/admin_event_log.js'
import { markOf, notesOf, unnamedIn, type EventMark } from './event_words.js'
import { plainText, type PlainText } from '../../text/plain_text.js'
import type { LoggedRecord, RecordPlaces } from './record_places.js'

/**
 * A point in time.
 */
export interface Moment {
  text: string
  /** The exact value, in UTC */
  title: string
  /** For the machine */
  value: string
}

/**
 * What an event was about.
 */
export interface Subject {
  /** What one record of the model is called */
  model: string
  /** What the record is called; null where it was several, or none in particular */
  record: PlainText | null
  href: string | null
  /** Where it was several: how many */
  count: number | null
}

/**
 * An event as the pages show it.
 */
export interface ShownEvent {
  id: number
  url: string
  moment: Moment
  mark: EventMark
  failed: boolean
  who: PlainText | null
  /** What stands for it where there is no name */
  unnamed: string
  subject: Subject | null
  address: PlainText | null
  /** What else is to be said */
  notes: string[]
}

/**
 * @param places  what the records are called
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
  /** Of several records: how many */
  count?: number | null
  /** What is known of the record, if it is no longer there */
  state?: Record<string, unknown> | null
}

/**
 * What a record of the log is called, where it is, and what its model is called.
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
    return { model, record: null, href: null, count }
  }
  const model = view?.singular ?? plainText(resourceType).text
  const place = places.of(record)
  const title = plainText(place?.title ?? titleIn(view, state) ?? readable(resourceId))
  return { model, record: title, href: place?.href ?? null, count: null }
}

export function momentOf(time: DateTime): Moment {
  const utc = time.toUTC()
  return {
    text: utc.setLocale('en').toFormat('d LLL yyyy, HH:mm:ss'),
    title: `${utc.toFormat('yyyy-MM-dd HH:mm:ss')} UTC`,
    value: utc.toISO({ suppressMilliseconds: true }) ?? '',
  }
}

/** The title that a record had, if its model has a column for it. */
function titleIn(view: ModelView | undefined, state: Known['state']): string | undefined {
  const title = state?.[view?.titleColumn?.wire ?? '']
  return typeof title === 'string' && title.trim() !== '' ? title : undefined
}

/**
 * A key for people: `7/a%2Fb` -> `7, a/b`.
 */
export function readable(resourceId: string): string {
  try {
    return resourceId.split('/').map(decodeURIComponent).join(', ')
  } catch {
    return resourceId
  }
}
