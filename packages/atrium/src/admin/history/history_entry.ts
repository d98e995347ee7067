import type { HttpContext } from '@adonisjs/core/http'
import type { KeyValue } from '#base/columns/key'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'
import type { ModelView } from '../views/model_view.js'
import type AdminAuditLog from '../models/admin_audit_log.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { plainText, type PlainText } from '../text/plain_text.js'
import type { EventDetails } from '../events/event_integration.js'
import { isSuperuser } from '../identity/admin_guard.js'
import { versionUrl } from '../http/event_access.js'
import { compare, type Comparison, type Sight } from '../event_log/comparison.js'
import { markOf, notesOf, unnamedIn, type EventMark } from '../event_log/shown_event.js'
import { momentOf, type Moment } from '../time/local_time.js'
import { seenInlines } from '../forms/inlines/inline.js'
import { undoneEvents } from '../undo/shown_undo.js'
import type { EventReader } from '../event_log/event_reader.js'
import { type ReadableHistory, isNarrowed } from './readable_history.js'

/* Maximum number of changed fields that are not folded */
const MOST_SHOWN = 4

/* Event details that all viewers of the record can see. Other details are about requests, jobs and tokens. */
const OPEN_DETAILS = ['soft', 'restored', 'restores', 'undoes'] as const

/** A version of a record in the list of its history. */
interface HistoryEntry {
  id: number
  mark: EventMark
  moment: Moment
  /** URL of the version; null for changes of inline rows, which are not versions of the record */
  url: string | null
  /** Id of the version for a comparison; null for changes of inline rows */
  version: number | null
  /** URL of the event, for users who can read the log */
  event: string | null
  /** The event that undid a change of inline rows; null if there is none, or for a version */
  undone: { url: string; id: string } | null
  who: PlainText | null
  /** Text to show without a user name */
  unnamed: string
  notes: string[]
  /** Labels of the changed fields of an update */
  changed: string | null
  comparison: Comparison
  /** The only change, if both values are short enough to be shown in one line */
  single: Comparison['changed'][number] | null
  isFolded: boolean
}

/**
 * Returns one entry of a history.
 *
 * @param event  undefined if the log no longer contains the event
 * @param sight  what the signed-in user can see of the record
 */
export function historyEntry(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  key: KeyValue,
  { row, event, sight }: { row: AdminAuditLog; event: AdminEventLog | undefined; sight: Sight }
): HistoryEntry {
  const { hasAfter, hasBefore, ...compared } = compare(site, row, view, sight)
  const changed = compared.changed.filter(({ name }) => !isAutomaticTimestamp(view, name))
  const reads = isSuperuser(ctx)
  return {
    id: row.eventId,
    mark: versionMark(site, row, event),
    moment: momentOf(row.timestamp),
    url: versionUrl(view, key, row.eventId),
    version: row.eventId,
    event: reads && event ? site.url(`/management/events/${event.id}`) : null,
    undone: null,
    who: event?.username ? plainText(event.username) : null,
    unnamed: event ? unnamedIn(site, event) : site.text('events.anonymous'),
    notes: notesOfVersion(site, event?.details ?? {}, reads),
    changed: hasBefore && hasAfter ? changed.map(({ label }) => label).join(', ') : null,
    comparison: { changed, unchanged: [], hasAfter, hasBefore },
    single: hasBefore && hasAfter ? singleChange(changed) : null,
    isFolded: changed.length > MOST_SHOWN,
  }
}

function singleChange(changed: Comparison['changed']): HistoryEntry['single'] {
  const [only] = changed
  const isShort = changed.length === 1 && !only.before?.whole && !only.after?.whole
  return isShort ? only : null
}

/** Returns true for timestamp columns that the model sets, which only repeat the time of the version. */
export function isAutomaticTimestamp({ resource }: ModelView, name: string): boolean {
  const column = resource.columns.find(name)
  return column !== undefined && resource.isStamp(column)
}

/**
 * Returns icon and label of a version. A restore is logged as an update with a detail, a permanent deletion as a
 * deletion without a new state.
 */
export function versionMark(
  site: Site,
  { action, newState }: AdminAuditLog,
  event: AdminEventLog | undefined
): EventMark {
  const mark = markOf(site, action)
  if (action === 'DELETE' && newState === null) {
    return { ...mark, word: site.text('events.history.deletedForGood') }
  }
  if (action !== 'UPDATE' || !event?.details?.restored) return mark
  return { ...mark, word: site.text('events.history.restored') }
}

/** Notes on an event for viewers of the record's history. */
function notesOfVersion(site: Site, details: EventDetails, readsLog: boolean): string[] {
  const open = Object.fromEntries(OPEN_DETAILS.map((name) => [name, details[name]]))
  const { restored, ...shown } = readsLog ? details : open
  const isOne = (details.count ?? 1) <= 1
  return [
    ...(isOne ? [] : [site.text('events.history.together')]),
    ...notesOf(site, shown as EventDetails),
  ]
}

/**
 * Returns history entries for saves of the record's form that changed only inline rows, which are not versions of the
 * record. Rows of a model that the user can only see in part are left out.
 *
 * @param page  current page of the record's versions; `last` is null on the last page
 */
export async function rowEntries(
  ctx: HttpContext,
  site: Site & WithDatabase,
  view: ModelView,
  log: EventReader,
  history: ReadableHistory,
  page: { number: number; last: AdminAuditLog | null }
): Promise<HistoryEntry[]> {
  const reads = isSuperuser(ctx)
  const inlines = await seenInlines(ctx, site, view)
  const reported = inlines.filter((inline) => reads || !isNarrowed(inline.view))
  if (reported.length === 0) return []
  const found = await log.rowEvents(history, page)
  if (found.length === 0) return []
  const first = Math.min(...found.map(({ event }) => event.id))
  const undone = reads ? await undoneEvents(site, history, first) : new Map<number, number>()
  return found.flatMap(({ event, models }) => {
    const labels = reported
      .filter((inline) => models.has(inline.view.name))
      .map(({ label }) => label)
    if (labels.length === 0) return []
    return {
      id: event.id,
      mark: markOf(site, event.eventType),
      moment: momentOf(event.timestamp),
      url: null,
      version: null,
      event: reads ? eventUrl(site, event.id) : null,
      undone: undoneBy(site, undone.get(event.id)),
      who: event.username ? plainText(event.username) : null,
      unnamed: unnamedIn(site, event),
      notes: notesOfVersion(site, event.details ?? {}, reads),
      changed: labels.join(', '),
      comparison: { changed: [], unchanged: [], hasAfter: true, hasBefore: true },
      single: null,
      isFolded: false,
    }
  })
}

function undoneBy(site: Site, id: number | undefined): HistoryEntry['undone'] {
  return id === undefined ? null : { url: eventUrl(site, id), id: String(id) }
}

function eventUrl(site: Site, id: number): string {
  return site.url(`/management/events/${id}`)
}
