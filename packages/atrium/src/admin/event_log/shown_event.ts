import type { Site } from '../views/site.js'
import type { EventDetails } from '../events/event_integration.js'
import type AdminEventLog from '../models/admin_event_log.js'
import { plainText, type PlainText, inSentence } from '../text/plain_text.js'
import type { ModelView } from '../views/model_view.js'
import { filledTitle, isTitleTemplate } from '../views/title_template.js'
import { momentOf, type Moment } from '../time/local_time.js'
import { EVENT_TYPES } from './event_filters.js'
import type { LoggedRecord, LoggedRecords } from './logged_records.js'

/** Icon and label of an event type. */
export interface EventMark {
  type: string
  word: string
  /** SVG path data in a 24 by 24 box */
  icon: string
  tone: 'good' | 'bad' | 'plain'
}

const ICONS: Record<string, string> = {
  CREATE: 'M12 5v14M5 12h14',
  UPDATE: 'm4 20 1-4.5L16.5 4l3.5 3.5L8.5 19 4 20m10-13.5 3.5 3.5',
  DELETE: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  IMPORT: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M4 20h16',
  VIEW: 'M2.5 12S6 5.5 12 5.5s9.5 6.5 9.5 6.5-3.5 6.5-9.5 6.5S2.5 12 2.5 12m7 0a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0',
  EXPORT: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 20h14',
  LOGIN: 'M15 4h4a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1h-4M11 16l4-4-4-4M15 12H4',
  LOGOUT: 'M9 20H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1h4M15 16l4-4-4-4M19 12H9',
  FAILED_LOGIN: 'M7 11V8a5 5 0 0 1 10 0v3M6 11h12v9H6zM10 14l4 3.5m0-3.5-4 3.5',
  REFUSED: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M5.7 5.7l12.6 12.6',
}

const OTHER = 'M12 12h.01'

/** Returns icon and label of an event type. The label of an unknown type is its name. */
export function markOf(site: Site, type: string): EventMark {
  const isKnown = EVENT_TYPES.includes(type)
  return {
    type,
    word: isKnown ? site.text(`events.types.${type}`) : type,
    icon: ICONS[type] ?? OTHER,
    tone: TONES[type] ?? 'plain',
  }
}

const TONES: Record<string, EventMark['tone']> = {
  CREATE: 'good',
  DELETE: 'bad',
  FAILED_LOGIN: 'bad',
  REFUSED: 'bad',
}

/**
 * Returns the text for an event without a user name: an anonymous user, or the application without a request.
 */
export function unnamedIn(site: Site, { ipAddress, userAgent }: AdminEventLog): string {
  const isRequest = ipAddress !== null || userAgent !== null
  return site.text(isRequest ? 'events.anonymous' : 'events.application')
}

const NOTES = new Set([
  'interrupted',
  'raw',
  'soft',
  'restored',
  'password_changed',
  'new_device',
  'hidden_fields_changed',
  'reason_credentials',
  'reason_second_factor',
  'reason_proof',
  'reason_sso_again',
  'reason_sso_factor',
  'reason_sso_failed',
  'reason_sso_linked',
  'reason_sso_role',
  'reason_sso_unknown',
  'method_sso',
  'sso_linked',
  'sso_unlinked',
  'reason_passkey',
  'reason_passkey_cloned',
  'factor_totp',
  'factor_recovery_code',
  'factor_passkey',
  'factors_added',
  'factors_replaced',
  'factors_removed',
  'factors_renamed',
  'factors_codes_renewed',
  'factors_reset',
  'page_proof',
  'page_list',
  'page_update',
  'page_view',
  'page_view_as',
  'page_view_as_stop',
  'page_dashboard',
  'page_invitation',
  'page_sign_in_as',
  'page_sign_in_as_stop',
  'reason_ability',
  'reason_acting',
  'reason_cross_site',
  'reason_network',
  'reason_factor_required',
  'reason_not_authenticated',
  'reason_permission',
  'reason_proof_required',
  'reason_read_only_field',
  'reason_session_ended',
  'reason_throttled',
  'reason_token_invalid',
  'reason_token_missing',
  'reason_viewing_as_role',
  'mcp_writes_allowed',
  'webhook_replayed',
  'webhook_sent_again',
  'webhook_test_sent',
])

/* Numbers of rows in the result of an import */
const COUNTS = ['new', 'changed', 'unchanged', 'faulty']

/** Returns texts for the details of an event, including those of custom integrations. */
export function notesOf(site: Site, details: EventDetails | null): string[] {
  return Object.entries(details ?? {}).flatMap(([name, value]) => {
    /* The number of records is skipped, because the page shows it next to the records. */
    if (name === 'count' || value === false || value === null || value === undefined) return []
    if (name === 'token_name')
      return [site.text('events.details.token', { token: plainText(String(value)).text })]
    if (name === 'query')
      return value === ''
        ? []
        : [site.text('events.details.query', { query: plainText(String(value), 200).text })]
    if (name === 'method' && 'route' in details!) return []
    if (name === 'route') return [plainText(`${details!.method} ${value}`, 200).text]
    if (name === 'status') return [site.text('events.details.status', { status: Number(value) })]
    if (name === 'format') return [site.text(`export.formats.${value}`)]
    if (name === 'action')
      return [site.text('events.details.action', { name: plainText(String(value), 100).text })]
    if (name === 'undoes') return [site.text('events.details.undoes', { id: String(value) })]
    if (name === 'restores') return [site.text('events.details.restores', { id: String(value) })]
    if (name === 'file')
      return [site.text('events.details.file', { file: plainText(String(value), 100).text })]
    if (COUNTS.includes(name))
      return [site.text(`events.details.${name}`, { count: Number(value) })]
    if (name === 'ended_sessions')
      return [site.text('events.details.endedSessions', { count: Number(value) })]
    if (name === 'acting_superuser')
      return [site.text('events.details.acting', { username: plainText(String(value)).text })]
    if (name === 'mcp_session')
      return [
        site.text('events.details.mcpSession', { session: plainText(String(value), 40).text }),
      ]
    if (name === 'job') return [site.text('events.details.job', { id: String(value) })]
    if (name === 'system_name') return [plainText(`system: ${value}`, 200).text]
    const key = value === true ? name : `${name}_${value}`
    if (NOTES.has(key)) return [site.text(`events.details.${key}`)]
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return [plainText(`${name}: ${text}`, 200).text]
  })
}

/** Records that an event is about. */
export interface Subject {
  /** Singular name of the model */
  model: string
  /** Title of the record; null unless there is exactly one */
  record: PlainText | null
  href: string | null
  /** Number of records if there are several */
  count: number | null
}

/** An event as shown on the pages. */
interface ShownEvent {
  id: number
  url: string
  moment: Moment
  mark: EventMark
  failed: boolean
  who: PlainText | null
  /** Text to show without a user name */
  unnamed: string
  subject: Subject | null
  address: PlainText | null
  /** Texts about the details of the event */
  notes: string[]
  /** URL of the form that undoes the MCP session of the event; null for other events */
  sessionUndo: string | null
}

/**
 * Returns an event as shown on the pages.
 *
 * @param places  titles and URLs of the logged records
 */
export function shownEvent(site: Site, event: AdminEventLog, places: LoggedRecords): ShownEvent {
  const session = event.details?.mcp_session ?? null
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
    sessionUndo: session && site.url(`/mcp_sessions/${encodeURIComponent(session)}/undo`),
  }
}

interface Known {
  /** Number of records if there are several */
  count?: number | null
  /** Last known state of the record, if it was deleted */
  state?: Record<string, unknown> | null
}

/** Returns title, URL and model name of a logged record. */
export function subjectOf(
  site: Site,
  record: LoggedRecord,
  places: LoggedRecords,
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

/** Returns the title in a logged state; undefined if the title column is hidden or missing, or has no text. */
export function titleInState(
  view: ModelView | undefined,
  state: Known['state']
): string | undefined {
  if (!view) return undefined
  const { options, titleColumns, resource } = view
  const { title } = options
  const seen = titleColumns.filter((column) => !resource.conceals(column))
  if (seen.length === 0) return undefined
  const textOf = (name: string) => {
    const value = seen.some(({ apiName }) => apiName === name) ? state?.[name] : undefined
    return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  }
  if (isTitleTemplate(title)) return filledTitle(title, textOf) || undefined
  const value = state?.[seen[0].apiName]
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** Formats a key for display: `7/a%2Fb` -> `7, a/b`. */
export function readable(resourceId: string): string {
  try {
    return resourceId.split('/').map(decodeURIComponent).join(', ')
  } catch {
    return resourceId
  }
}
