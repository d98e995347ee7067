import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import type { Site } from '../../views/site.js'
import type { WithAuthentication } from '../admin_authentication.js'
import { type EventDetails, EventType } from '../../events/event_integration.js'
import AdminUser from '../../models/admin_user.js'
import type { NoticeKind } from '../../models/admin_notice.js'
import { noticeOrigin, type WithNotices } from '../../notices/notices.js'
import { guardOf } from '../../identity/admin_guard.js'
import { relyingPartyOf } from '../passkeys/relying_party.js'

/**
 * Logs a change of a user's second factors, as an update of the user. The event never contains a secret or a code.
 */
export function logFactors(
  ctx: HttpContext,
  site: Site,
  userId: number,
  factors: EventDetails['factors']
): void {
  site.logEvent(ctx, {
    type: EventType.UPDATE,
    resourceType: AdminUser.name,
    resourceId: String(userId),
    details: { factors },
  })
}

/**
 * Notifies users of changes to their factors and of failed attempts to use them.
 *
 * @param name  name of the factor
 */
export async function notifyOfFactors(
  ctx: HttpContext,
  site: WithNotices,
  user: { id: number },
  kind: NoticeKind,
  name?: string
): Promise<void> {
  const signedIn = guardOf(ctx).signedIn
  const by = signedIn && signedIn.owner.id !== user.id ? signedIn.owner.username : undefined
  const data = { ...noticeOrigin(ctx), ...(name && { name }), ...(by && { by }) }
  await site.notices.notify(user, kind, data, { session: signedIn?.session.id })
}

/** Logs that a command removed the second factors of a user. */
export function logReset(site: Pick<Site, 'events'>, userId: number): void {
  if (!site.events.isActive) return
  site.events.log({
    type: EventType.UPDATE,
    status: 'success',
    timestamp: DateTime.utc(),
    userId: null,
    username: 'system: admin:mfa',
    sessionId: null,
    ipAddress: null,
    userAgent: null,
    resourceType: AdminUser.name,
    resourceId: String(userId),
    details: { factors: 'reset' },
    records: [],
  })
}

/**
 * Returns which kinds of second factors a page offers: those that the user has, and passkeys only if the site has a
 * host name that they are valid for.
 */
export async function kindsOf(site: WithAuthentication, ctx: HttpContext, userId: number) {
  const factors = await site.adminAuthentication.factors.of(userId)
  const has = (wanted: string) => factors.some(({ kind }) => kind === wanted)
  return { hasApp: has('totp'), hasPasskey: has('passkey') && relyingPartyOf(ctx) !== null }
}

/**
 * Renders new recovery codes in the response to the request that generates them, because the codes are not stored.
 *
 * @param codes.isFirst  true if they come with the user's first factor
 */
export async function recoveryCodesPage(
  ctx: HttpContext,
  site: Site,
  codes: string[],
  { isFirst }: { isFirst: boolean }
): Promise<string> {
  const { username } = guardOf(ctx).signedInOrFail().owner
  const heading = site.text('factors.codes.file', { title: site.title, username })
  const file = [heading, '', ...codes, ''].join('\r\n')
  return await site.render(ctx, 'pages/recovery_codes', {
    codes,
    isFirst,
    download: `data:text/plain;charset=utf-8,${encodeURIComponent(file)}`,
    done: site.url('/account'),
  })
}
