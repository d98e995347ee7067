import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import type { AdminSite } from '../../admin_site.js'
import { PageNotFound, UndoRefused, WithheldPage } from '../../errors.js'
import AdminAuditLog from '../../models/admin_audit_log.js'
import AdminEventLog from '../../models/admin_event_log.js'
import { hasEventLog, isSuperuser } from '../pages/event_access.js'
import { ReadableRecords } from '../pages/readable_records.js'
import { RecordPlaces } from '../pages/record_places.js'
import { isRefusal } from './undo_refusal.js'
import { MOST_ON_PAGE, planStart } from './undo_plan.js'
import { guardOf } from '../../authentication/sessions/admin_guard.js'

/* How long everybody may take back what they did; who can read the log may do it at any time. */
const MINUTES = 10

/* Of the column's type */
const MOST_ID = 2 ** 31 - 1

/**
 * An event that the signed-in user may see: any for those who read the log, what they did themselves, and the events
 * of others whose opposite they may do on every record. [R7]
 *
 * @throws PageNotFound
 */
export async function visibleEvent(
  site: AdminSite,
  ctx: HttpContext,
  id: unknown
): Promise<AdminEventLog> {
  const isKey = /^\d{1,10}$/.test(String(id)) && Number(id) <= MOST_ID
  if (!hasEventLog(site) || !isKey) throw new PageNotFound()
  const client = site.dbConfig.readingSession()
  const event = await AdminEventLog.query({ client }).where('id', Number(id)).first()
  if (!event) throw new PageNotFound()
  if (isOwn(ctx, event) || (await mayRevert(site, ctx, event))) return event
  throw new WithheldPage()
}

/**
 * Returns true for an event of the signed-in user, and for any event if they read the log.
 */
export function isOwn(ctx: HttpContext, { userId }: AdminEventLog): boolean {
  return isSuperuser(ctx) || userId === guardOf(ctx).signedInOrFail().owner.id
}

/**
 * Returns true if the signed-in user may do the opposite of an event as far as its first records tell, and see them:
 * the undo checks the fields and the values of each.
 */
export async function mayRevert(
  site: AdminSite,
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
  const { views } = await RecordPlaces.find(site, ctx, rows)
  const readable = await ReadableRecords.find(site, ctx, rows, views)
  return rows.every((row) => readable.has(row))
}

/**
 * @throws UndoRefused  for an event of more than ten minutes ago, unless the user reads the log
 */
export function refuseLate(ctx: HttpContext, { timestamp }: AdminEventLog): void {
  const isLate = timestamp < DateTime.utc().minus({ minutes: MINUTES })
  if (isLate && !isSuperuser(ctx)) throw new UndoRefused('late', { minutes: MINUTES })
}
