import { randomUUID } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import type { OpenSession } from '../../models/admin_session.js'
import AdminTokenBlacklist from '../../models/admin_token_blacklist.js'
import type { Site } from '../../views/site.js'
import type { WithAuthentication } from '../admin_authentication.js'
import type { WithNotices } from '../../notices/notices.js'
import type { WithSessions } from '../sessions/session_manager.js'
import { RefusedWhileActing } from '../../identity/errors.js'
import { EventType } from '../../events/event_integration.js'
import AdminUser from '../../models/admin_user.js'
import { guardOf } from '../../identity/admin_guard.js'
import { type SsoPerson, type SsoSecrets, SsoRefused, type SsoRefusal } from './sso_provider.js'
import type { Sso } from './sso.js'
import { redirectWithMessage, redirect } from '../../http/redirect.js'
import type { WithCookies } from '../login/first_step.js'

const PURPOSE = 'id token of a session'

/* Maximum length of the cookie, and of a stored ID token: a longer one would not fit into the provider's logout URL */
const LONGEST = 4000

/**
 * Returns the session metadata of a login by single sign-on: the time at which the provider authenticated the person,
 * and the ID token for the logout, encrypted with the application's key.
 */
export function ssoMetadata({ idToken, claims }: Pick<SsoPerson, 'idToken' | 'claims'>) {
  const isShort = idToken.length <= LONGEST
  const sso = isShort ? { idToken: encryption.encrypt(idToken, { purpose: PURPOSE }) } : {}
  return { sso, provedAt: requestedAt(claims) }
}

/**
 * Returns the time at which the person logged in at the provider, in seconds since 1970. The provider can accept a
 * person who logged in hours ago, which does not count as a recent reauthentication.
 *
 * @returns 0 if the claims do not contain the time
 */
export function requestedAt({ auth_time: time }: Record<string, unknown>): number {
  return typeof time === 'number' ? Math.min(time, Math.floor(Date.now() / 1000)) : 0
}

/** Returns the ID token of a session, or null if the session did not begin by single sign-on or has no ID token. */
export function idTokenOf({ sessionMetadata }: Pick<OpenSession, 'sessionMetadata'>) {
  const sealed = sessionMetadata.sso?.idToken
  return sealed === undefined ? null : encryption.decrypt<string>(sealed, PURPOSE)
}

/** Minutes within which the person has to return from the provider */
const SSO_MINUTES = 10

const COOKIE = 'sso_step'
const STEP_PURPOSE = 'single sign-on'

/**
 * Purpose of the redirect: to log in, to reauthenticate the signed-in user, or to link the signed-in user with an
 * identity
 */
export type SsoAim = 'login' | 'proof' | 'link'

/** Values of one redirect to the provider, stored in the browser until it returns. */
export interface SsoStep extends SsoSecrets {
  /** Unique id, which makes the step single-use */
  id: string
  aim: SsoAim
  next: string | undefined
  /** Id of the session that the step belongs to; undefined for a login */
  session: number | undefined
  /** Milliseconds since 1970 */
  startedAt: number
}

/** Saves the step in an encrypted cookie of the browser, for ten minutes. */
export function keepSsoStep(
  ctx: HttpContext,
  site: WithCookies,
  step: Omit<SsoStep, 'id' | 'startedAt'>
): void {
  const sealed: SsoStep = { ...step, id: randomUUID(), startedAt: Date.now() }
  const value = encryption.encrypt(sealed, { purpose: STEP_PURPOSE, expiresIn: `${SSO_MINUTES}m` })
  ctx.response.plainCookie(COOKIE, value, cookie(site, SSO_MINUTES * 60))
}

/**
 * Reads the step from the request and deletes the cookie of the step.
 *
 * @returns null if there is none, or it is too old
 */
export function takeSsoStep(ctx: HttpContext, site: WithCookies): SsoStep | null {
  const value = ctx.request.plainCookie(COOKIE, { encoded: false })
  if (!value) return null
  ctx.response.clearCookie(COOKIE, cookie(site, 0))
  if (typeof value !== 'string' || value.length > LONGEST) return null
  return encryption.decrypt<SsoStep>(value, STEP_PURPOSE)
}

/** Marks the step as used. Returns true for only one of two concurrent requests with the same step. */
export async function useSsoStep({ id }: SsoStep): Promise<boolean> {
  const expiresAt = DateTime.utc().plus({ minutes: SSO_MINUTES })
  try {
    await AdminTokenBlacklist.create({ token: id, expiresAt })
    return true
  } catch (error) {
    /* The column is unique: if the id exists now, a concurrent request has used it first. */
    if (await AdminTokenBlacklist.findBy('token', id)) return false
    throw error
  }
}

/** Cookie options. The cookie is sent when the provider redirects back, which counts as a link from another site. */
function cookie(site: WithCookies, seconds: number) {
  return {
    encode: false,
    httpOnly: true,
    sameSite: 'lax' as const,
    path: site.url('/login/sso'),
    secure: site.secureCookies,
    maxAge: seconds,
  }
}

/**
 * Handles the callback for a signed-in user: reauthenticates the user, or links the user with the identity. The
 * provider has prompted the person again, so a session that another person left open there is not used.
 */
export class SsoOfSession {
  constructor(private readonly site: Site & WithAuthentication & WithNotices & WithSessions) {}

  /**
   * @throws SsoRefused
   * @throws RefusedWhileActing  while a superuser is signed in as another user
   * @throws E_UNAUTHORIZED_ACCESS  if the session has ended in the meantime
   */
  async take(ctx: HttpContext, sso: Sso, person: SsoPerson, step: SsoStep): Promise<void> {
    const guard = guardOf(ctx)
    await guard.checkWithoutFactor()
    const signedIn = guard.signedInOrFail()
    const { acting, owner, session } = signedIn
    if (acting) throw new RefusedWhileActing()
    if (session.id !== step.session) throw new SsoRefused('again')
    const identity = await sso.identities.find(person)
    if (step.aim === 'proof') {
      if (identity?.userId !== owner.id) throw new SsoRefused('unknown')
      await this.site.sessionManager.prove(session)
      await this.site.adminAuthentication.renew(ctx, signedIn)
      this.site.logEvent(ctx, {
        type: EventType.VIEW,
        details: { page: 'proof', method: 'sso' },
      })
      return redirect(ctx, step.next ?? this.site.url('/'))
    }
    const holder = identity?.userId ?? (await this.#link(sso, owner.id, person))
    if (holder !== undefined && holder !== owner.id) throw new SsoRefused('linked')
    if (holder === undefined) {
      this.site.logEvent(ctx, {
        type: EventType.UPDATE,
        resourceType: AdminUser.name,
        resourceId: String(owner.id),
        details: { sso: 'linked' },
      })
      await this.site.notices.notify(owner, 'sso_linked', {}, { session: session.id })
    }
    await redirectWithMessage(ctx, this.site.url('/account'), {
      kind: 'success',
      text: this.site.text('sso.linkedNow'),
    })
  }

  /**
   * @returns undefined if the identity is linked now; otherwise the id of the user that a concurrent request linked
   *   first
   */
  async #link(sso: Sso, userId: number, person: SsoPerson): Promise<number | undefined> {
    try {
      await sso.identities.link(userId, person)
      return undefined
    } catch (error) {
      const other = await sso.identities.find(person)
      if (!other) throw error
      return other.userId
    }
  }

  /** Redirects to the page that the user came from, and shows the reason of the rejection. */
  async refuse(
    ctx: HttpContext,
    refusal: SsoRefusal,
    { aim, next }: Pick<SsoStep, 'aim' | 'next'>
  ): Promise<void> {
    const text = this.site.text(`login.sso_${refusal}`)
    const query = next ? `?${new URLSearchParams({ next })}` : ''
    const page = this.site.url(aim === 'proof' ? `/reauthenticate${query}` : '/account')
    await redirectWithMessage(ctx, page, { kind: 'error', text })
  }
}
