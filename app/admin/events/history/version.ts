import type { HttpContext } from '@adonisjs/core/http'
import { PageNotFound } from '../../errors.js'
import type AdminAuditLog from '../../models/admin_audit_log.js'
import type AdminEventLog from '../../models/admin_event_log.js'
import { statesOf, type State } from '../pages/comparison.js'
import type { EventReader } from '../pages/event_reader.js'
import type { ReadableHistory } from './readable_history.js'

/* Of the column's type */
const MOST_ID = 2 ** 31 - 1

/**
 * A record as an event left it, or, if the event deleted it for good, as it was before.
 */
export interface Version {
  row: AdminAuditLog
  event: AdminEventLog | null
  /** By API name, as answers held it; long values are shortened */
  state: State
  /** The state before the event; null if it created the record */
  before: State | null
  isDeletion: boolean
}

/**
 * @param eventId  of an address
 * @throws PageNotFound  for an event that is none of this record's history, or not any more
 */
export async function versionOf(
  log: EventReader,
  history: ReadableHistory,
  eventId: unknown
): Promise<Version> {
  const isId = /^\d{1,10}$/.test(String(eventId)) && Number(eventId) <= MOST_ID
  const row = isId ? await log.change(history, Number(eventId)) : null
  if (!row) throw new PageNotFound()
  const { before, after } = statesOf(row)
  const state = after ?? before
  if (!state) throw new PageNotFound()
  const event = await log.find(row.eventId)
  return { row, event, state, before, isDeletion: after === null }
}

/** A parameter of the address; null if it is not there. */
export function parameterIn({ request }: HttpContext, name: string): string | null {
  return new URLSearchParams(request.parsedUrl.query ?? '').getAll(name).at(-1) ?? null
}
