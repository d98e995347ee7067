import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'
import { PageNotFound, WithheldPage } from '../http/errors.js'
import { UndoRefused } from './errors.js'
import AdminAuditLog from '../models/admin_audit_log.js'
import AdminEventLog from '../models/admin_event_log.js'
import { hasEventLog } from '../events/database_integration.js'
import { isSuperuser, guardOf } from '../identity/admin_guard.js'
import { ReadableRecords } from '../event_log/readable_records.js'
import { LoggedRecords } from '../event_log/logged_records.js'
import { isRefusal } from './undo_refusal.js'
import { MOST_ON_PAGE, planStart, checkReferencesOf } from './undo_plan.js'
import { rowId } from '../views/record_items.js'
import type { FlashUndo } from '../http/flash.js'
import { loggedInRequest } from '../events/request_event.js'

/* Period in which users can undo their own actions; users who can read the log can undo them at any time. */
const MINUTES = 10

/**
 * Returns an event that the signed-in user can see: any event for users who can read the log; otherwise the user's
 * own events, and events of others that the user is allowed to undo on every record.
 *
 * @throws PageNotFound
 */
export async function visibleEvent(
  site: Site & WithDatabase,
  ctx: HttpContext,
  param: unknown
): Promise<AdminEventLog> {
  const id = rowId(param)
  if (!hasEventLog(site) || id === null) throw new PageNotFound()
  const client = site.dbConfig.readingSession()
  const event = await AdminEventLog.query({ client }).where('id', id).first()
  if (!event) throw new PageNotFound()
  if (isOwn(ctx, event) || (await mayRevert(site, ctx, event))) return event
  throw new WithheldPage()
}

/** Returns true for an event of the signed-in user, and for every event if the user can read the log. */
export function isOwn(ctx: HttpContext, { userId }: AdminEventLog): boolean {
  return isSuperuser(ctx) || userId === guardOf(ctx).signedInOrFail().owner.id
}

/**
 * Returns true if the signed-in user is allowed to undo the event and can see its records. Only the first records are
 * checked; the undo checks the fields and values of each.
 */
export async function mayRevert(
  site: Site & WithDatabase,
  ctx: HttpContext,
  event: AdminEventLog
): Promise<boolean> {
  try {
    await planStart(site, ctx, event)
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
  const rows = await AdminAuditLog.query({ client: site.dbConfig.readingSession() })
    .select('resourceType', 'resourceId', 'newState', 'previousState')
    .where('eventId', event.id)
    .orderBy('id')
    .limit(MOST_ON_PAGE)
  const { views } = await LoggedRecords.find(site, ctx, rows)
  const readable = await ReadableRecords.find(site, ctx, rows, views)
  return rows.every((row) => readable.has(row))
}

/**
 * Checks that the event is recent enough to be undone.
 *
 * @throws UndoRefused  for an event older than ten minutes, unless the user can read the log
 */
export function refuseLate(ctx: HttpContext, { timestamp }: AdminEventLog): void {
  const isLate = timestamp < DateTime.utc().minus({ minutes: MINUTES })
  if (isLate && !isSuperuser(ctx)) throw new UndoRefused('late', { minutes: MINUTES })
}

/**
 * Follows a chain of undos of undos back to the original event. Returns that event, null if the log no longer contains
 * it, and the number of undos.
 */
export async function undoChain(
  { dbConfig }: WithDatabase,
  event: AdminEventLog
): Promise<{ root: AdminEventLog | null; undos: number }> {
  const client = dbConfig.readingSession()
  let root: AdminEventLog | null = event
  let undos = 0
  for (; root?.details?.undoes; undos++) {
    root = await AdminEventLog.query({ client }).where('id', root.details.undoes).first()
  }
  return { root, undos }
}

/** Returns true if the event is the undo of an original event, or of a redo, so that undoing it means *Redo*. */
export async function isUndo(site: WithDatabase, event: AdminEventLog): Promise<boolean> {
  const { undos } = await undoChain(site, event)
  return undos % 2 === 1
}

/** Returns the label of the button that undoes an event: *Undo* or *Redo*. */
export async function undoLabel(
  site: Pick<Site, 'text'> & WithDatabase,
  event: AdminEventLog
): Promise<string> {
  return site.text((await isUndo(site, event)) ? 'undo.redo' : 'undo.button')
}

/** Returns the success message of an undo or redo. */
export async function undoMessage(
  site: Pick<Site, 'text'> & WithDatabase,
  event: AdminEventLog,
  count: number
): Promise<string> {
  return site.text((await isUndo(site, event)) ? 'undo.redone' : 'undo.done', { count })
}

/**
 * Returns the undo link for the message of the request that wrote something, if the user is allowed to undo it.
 */
export async function offerUndo(
  site: Site & WithDatabase,
  ctx: HttpContext
): Promise<FlashUndo | undefined> {
  try {
    const ids = await loggedInRequest(ctx)
    /* Several events can't be undone in one request. */
    if (ids.length !== 1) return undefined
    const event = await visibleEvent(site, ctx, ids[0])
    const { steps } = await planStart(site, ctx, event)
    await checkReferencesOf(ctx, steps)
    return { url: undoUrl(site, event), label: await undoLabel(site, event) }
  } catch (error) {
    if (!isRefusal(error)) ctx.logger.error({ err: error }, 'An undo could not be offered')
    return undefined
  }
}

export function undoUrl(site: Site, { id }: AdminEventLog): string {
  return site.url(`/management/events/${id}/undo`)
}
