import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import type { AdminSite } from '../../admin_site.js'
import { PageNotFound, UndoRefused, WithheldPage } from '../../errors.js'
import AdminEventLog from '../../models/admin_event_log.js'
import { hasEventLog, isSuperuser } from '../pages/event_access.js'

/* How long everybody may take back what they did; who may read the log may do it at any time. */
const MINUTES = 10

/* Of the column's type */
const MOST_ID = 2 ** 31 - 1

/**
 * An event that the signed-in user may see: any for those who read the log, and what they did themselves
 * for everybody. [R7]
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
  const client = site.dbConfig.adminSession()
  const event = await AdminEventLog.query({ client }).where('id', Number(id)).first()
  const { owner } = ctx.auth.use('admin').signedInOrFail()
  if (!event) throw new PageNotFound()
  if (!isSuperuser(ctx) && event.userId !== owner.id) throw new WithheldPage()
  return event
}

/**
 * @throws UndoRefused  for a user's own event of more than ten minutes ago, unless they read the log
 */
export function refuseLate(ctx: HttpContext, { timestamp }: AdminEventLog): void {
  const isLate = timestamp < DateTime.utc().minus({ minutes: MINUTES })
  if (isLate && !isSuperuser(ctx)) throw new UndoRefused('late', { minutes: MINUTES })
}
