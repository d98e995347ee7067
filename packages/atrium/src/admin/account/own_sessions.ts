import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { momentOf, type Moment } from '../time/moment.js'
import { plainText } from '../text/plain_text.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

/** A session as its user sees it. */
export interface OwnSession {
  id: number
  /** As in `Firefox on Linux` */
  device: string
  /** Network address; no service is asked where that may be */
  address: string
  begun: Moment
  lastActive: Moment
  isPresent: boolean
}

/**
 * The active sessions of the signed-in user: the current one first, then those that were active last. [U7]
 */
export async function ownSessions(site: AdminSite, ctx: HttpContext): Promise<OwnSession[]> {
  const { owner, session } = guardOf(ctx).signedInOrFail()
  const active = await site.sessionManager.activeOf(owner.id)
  return active
    .map((one) => ({ one, isPresent: one.id === session.id }))
    .sort(
      (first, second) =>
        Number(second.isPresent) - Number(first.isPresent) ||
        second.one.lastActivity.toMillis() - first.one.lastActivity.toMillis()
    )
    .map(({ one, isPresent }) => ({
      id: one.id,
      device: one.deviceInfo ? plainText(one.deviceInfo).text : site.text('account.unknownDevice'),
      address: one.ipAddress ?? '',
      begun: momentOf(one.createdAt),
      lastActive: momentOf(one.lastActivity),
      isPresent,
    }))
}
