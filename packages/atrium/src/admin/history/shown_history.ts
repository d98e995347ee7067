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
import { versionUrl, COMPARE } from '../http/event_access.js'
import {
  compare,
  type Comparison,
  type Sight,
  type State,
  inWords,
  labelOfLogged,
  loggedNames,
  shownValue,
  type ShownValue,
} from '../event_log/comparison.js'
import { markOf, notesOf, unnamedIn, type EventMark } from '../event_log/shown_event.js'
import { momentOf, type Moment } from '../time/local_time.js'
import { seenInlines } from '../forms/inlines/inline.js'
import { undoneEvents } from '../undo/undoable_event.js'
import type { EventReader } from '../event_log/event_reader.js'
import { type ReadableHistory, isNarrowed, type SeesName } from './readable_history.js'
import { writeJson } from '#base/values/json'
import { comparedFields } from '../compare/compared_fields.js'
import { listQueryIn, withListQuery } from '../http/list_query.js'
import { referencesOf, titlesIfReadable } from '../relations/references.js'
import { formFields } from '../forms/fields/form_fields.js'
import { may } from '../permissions/may.js'
import { isDeletedRecord, itemOf } from '../views/record_items.js'
import { LoggedRelations } from '../event_log/readable_records.js'
import { isShortened, shortened } from '../events/event_records.js'
import { FIELDS, RESTORE, restoreUrl } from '../forms/prefill/prefill_urls.js'
import { isRestorable, type Version } from './version.js'

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
function isAutomaticTimestamp({ resource }: ModelView, name: string): boolean {
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

/**
 * Returns titles of the records that logged states refer to, without records that the viewer cannot see. Runs one
 * query per reference.
 *
 * @param view  the view, limited by the viewer's roles
 */
export async function referenceTitles(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  states: ReadonlyArray<State | null>,
  sees: SeesName
): Promise<NonNullable<Sight['titleOf']>> {
  const titles = new Map<string, Map<string, string>>()
  for (const reference of referencesOf(site, view)) {
    const { apiName } = reference.column
    if (!sees(apiName)) continue
    const logged = states.map((state) => state?.[apiName])
    const values = logged.filter((value) => ['number', 'string'].includes(typeof value))
    titles.set(apiName, await titlesIfReadable(ctx, view, reference, values))
  }
  return (name, value) => titles.get(name)?.get(String(value))
}

/** A field of a version, compared with the version before and the current record. */
interface VersionField {
  name: string
  label: string
  then: ShownValue
  /** Undefined if the event did not change the value, or created or deleted the record */
  before: ShownValue | undefined
  /** Undefined if the current value is the same or unknown */
  now: ShownValue | undefined
  /** True if the form can be filled in with the value */
  isOffered: boolean
}

/** Returns the fields of a version that the user can see, and which of them can be restored. */
export async function versionFields(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  history: ReadableHistory,
  version: Version
) {
  const { key, record, sees } = history
  const { before, id, isBefore, row, state } = version
  const now: State | null = record && itemOf(view, record)
  const titleOf = await referenceTitles(ctx, site, view, [state, before, now], sees)
  const offered = await offeredNames(ctx, site, view, history)
  const isReported = ({ before: earlier, name, now: present }: VersionField) =>
    Boolean(earlier || present) && !isAutomaticTimestamp(view, name)
  const relations = await LoggedRelations.find(site, ctx, [row], new Map([[view.name, view]]))
  const shown = (name: string, value: unknown) => {
    const words = relations.wordsOf(view.name, name, value ?? null)
    const formatted = words === undefined ? inWords(site, view, name, value) : words
    return shownValue(site, formatted, titleOf(name, value))
  }
  const fields = loggedNames(view, state)
    .filter((name) => sees(name) && !relations.withholds(view.name, name))
    .map((name): VersionField => {
      const isChanged = !isBefore && before !== null && !isSame(before[name], state[name])
      const differs = now !== null && Object.hasOwn(now, name) && !isSame(state[name], now[name])
      return {
        name,
        label: labelOfLogged(view, name),
        then: shown(name, state[name]),
        before: isChanged ? shown(name, before[name]) : undefined,
        now: differs ? shown(name, now[name]) : undefined,
        isOffered: differs && offered.has(name),
      }
    })
  return {
    fields: fields.filter((field) => isReported(field)),
    others: fields.filter((field) => !isReported(field)),
    restore: fields.some(({ isOffered }) => isOffered)
      ? {
          url: restoreUrl(view, key, id),
          action: restoreUrl(view, key, id).split('?', 1)[0],
          name: RESTORE,
          event: id,
          fields: FIELDS,
        }
      : null,
  }
}

/** Returns the names of the fields that the user can restore on this record. */
async function offeredNames(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  { record, sees }: ReadableHistory
): Promise<ReadonlySet<string>> {
  if (!record || view.adminModel || isDeletedRecord(view, record)) return new Set()
  if (!(await may(ctx, view, 'update', record))) return new Set()
  const readOnly = await view.crud.readOnlyOn(record, view.callOptions(ctx))
  const fields = formFields(site, view, 'update').filter(
    (field) => isRestorable(field, sees) && !readOnly.has(field.name)
  )
  return new Set(fields.map(({ name }) => name))
}

/** Compares a logged value with a current one. The log contains only the beginning of long values. */
function isSame(logged: unknown, value: unknown): boolean {
  const json: unknown = JSON.parse(writeJson(value ?? null))
  if (writeJson(logged ?? null) === writeJson(json)) return true
  return isShortened(logged) && logged === shortened(json)
}

/**
 * Returns the ids of the versions that the history's form selects for a comparison; null if the request is not a
 * comparison.
 */
export function comparedVersions({ request }: HttpContext): string[] | null {
  const ids = new URLSearchParams(request.parsedUrl.query ?? '').getAll(COMPARE)
  return ids.length > 0 ? ids : null
}

/**
 * Returns two versions side by side, the earlier one first, limited to the fields that the user can see.
 *
 * @param versions  versions of the same record
 */
export async function versionComparison(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  { key, sees }: ReadableHistory,
  versions: readonly Version[]
) {
  const ordered = versions.toSorted((one, other) => one.row.id - other.row.id)
  const states = ordered.map(({ state }) => state)
  const titleOf = await referenceTitles(ctx, site, view, states, sees)
  const rows = ordered.map(({ row }) => row)
  const relations = await LoggedRelations.find(site, ctx, rows, new Map([[view.name, view]]))
  const names = loggedNames(view, ...states).filter(
    (name) => sees(name) && !relations.withholds(view.name, name)
  )
  const fields = comparedFields(
    states.map((state) =>
      names.map((name) => {
        const value = state[name] ?? null
        const words = relations.wordsOf(view.name, name, value)
        const formatted = words === undefined ? inWords(site, view, name, value) : words
        const shown = shownValue(site, formatted, titleOf(name, value))
        return { ...shown, name, label: labelOfLogged(view, name), id: writeJson(value) ?? '' }
      })
    )
  )
  const differing = fields.filter(({ differs }) => differs)
  return {
    fields: [...differing, ...fields.filter(({ differs }) => !differs)],
    count: fields.length,
    differing: differing.length,
    columns: ordered.map(({ event, id, row }) => ({
      title: momentOf(row.timestamp).text,
      href: withListQuery(versionUrl(view, key, id), listQueryIn(ctx)),
      note: event?.username ? plainText(event.username).text : undefined,
      isDeleted: false,
      without: null,
    })),
  }
}
