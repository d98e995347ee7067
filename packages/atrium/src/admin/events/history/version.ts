import type { HttpContext } from '@adonisjs/core/http'
import { PageNotFound } from '../../errors.js'
import type AdminAuditLog from '../../models/admin_audit_log.js'
import type AdminEventLog from '../../models/admin_event_log.js'
import { statesOf, type State } from '../pages/comparison.js'
import type { EventReader } from '../pages/event_reader.js'
import type { ReadableHistory } from './readable_history.js'

/* Of the column's type */
const MOST_ID = 2 ** 31 - 1

/* Address of the state before the event: `before-345` */
const BEFORE = 'before-'

/**
 * A record as an event left it, or, if the event deleted it for good or the address says so, as it was before.
 */
export interface Version {
  /** Name in addresses: the event's id, or `before-345` */
  id: string
  row: AdminAuditLog
  event: AdminEventLog | null
  /** By API name, as responses held it; long values are shortened */
  state: State
  /** The state before the event; null if it created the record, or if the version is that state */
  before: State | null
  isDeletion: boolean
  /** True if the version is the state before the event */
  isBefore: boolean
}

/** Name of the version before an event, for addresses. */
export function idBefore(event: number): string {
  return `${BEFORE}${event}`
}

/**
 * @param id  of an address
 * @throws PageNotFound  for an event that is none of this record's history, or not any more
 */
export async function versionOf(
  log: EventReader,
  history: ReadableHistory,
  id: string
): Promise<Version> {
  const eventId = Number(/^(?:before-)?(\d{1,10})$/.exec(id)?.[1] ?? Number.NaN)
  const row = eventId <= MOST_ID ? await log.change(history, eventId) : null
  if (!row) throw new PageNotFound()
  const { before, after } = statesOf(row)
  const isBefore = after === null || id.startsWith(BEFORE)
  const state = isBefore ? before : after
  if (!state) throw new PageNotFound()
  const event = await log.find(row.eventId)
  const isDeletion = after === null
  return { id, row, event, state, before: isBefore ? null : before, isDeletion, isBefore }
}

/** A parameter of the address; null if it is not there. */
export function parameterIn({ request }: HttpContext, name: string): string | null {
  return new URLSearchParams(request.parsedUrl.query ?? '').getAll(name).at(-1) ?? null
}
