import { randomUUID } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import type { OpenSession } from '../sessions/session_manager.js'
import type { AdminConfig } from '../../config/define_config.js'
import AdminTokenBlacklist from '../../models/admin_token_blacklist.js'
import type { AdminSite } from '../../admin_site.js'
import { RefusedWhileActing } from '../../identity/errors.js'
import { EventType } from '../../events/event_integration.js'
import AdminUser from '../../models/admin_user.js'
import { guardOf } from '../../identity/admin_guard.js'
import { type SsoPerson, type SsoSecrets, SsoRefused, type SsoRefusal } from './sso_provider.js'
import type { Sso } from './sso.js'
import { redirectWithMessage, redirect } from '../../http/redirect.js'

const PURPOSE = 'id token of a session'

/* A longer one would not fit into the address of the provider's logout */
const LONGEST = 4000

/**
 * The data of a session that was begun by single sign-on: that it was, when the provider has asked the person, and
 * the ID token for its logout, encrypted with the application's key. [U15]
 */
export function ssoMetadata({ idToken, claims }: Pick<SsoPerson, 'idToken' | 'claims'>) {
  const isShort = idToken.length <= LONGEST
  const sso = isShort ? { idToken: encryption.encrypt(idToken, { purpose: PURPOSE }) } : {}
  return { sso, provedAt: requestedAt(claims) }
}

/**
 * The moment at which the person logged in at the provider, in seconds since 1970: it may accept a person
 * who logged in hours ago, which proves nothing now. [U11]
 *
 * @returns 0 if it does not say
 */
export function requestedAt({ auth_time: time }: Record<string, unknown>): number {
  return typeof time === 'number' ? Math.min(time, Math.floor(Date.now() / 1000)) : 0
}

/**
 * The ID token of a session; null if it was not begun by single sign-on, or has none.
 */
export function idTokenOf({ sessionMetadata }: Pick<OpenSession, 'sessionMetadata'>) {
  const sealed = sessionMetadata.sso?.idToken
  return sealed === undefined ? null : encryption.decrypt<string>(sealed, PURPOSE)
}

/** Minutes in which the person has to come back from the provider */
export const SSO_MINUTES = 10

const COOKIE = 'sso_step'
const STEP_PURPOSE = 'single sign-on'

/** To log in; to prove again who a signed-in user is; to link them with the person at the provider */
export type SsoAim = 'login' | 'proof' | 'link'

/**
 * Values that a browser has to come back with from the provider.
 */
export interface SsoStep extends SsoSecrets {
  /** Of this one step, so that it is valid for one response */
  id: string
  aim: SsoAim
  next: string | undefined
  /** Id of the session that it is for; undefined for a login */
  session: number | undefined
  /** Milliseconds since 1970 */
  startedAt: number
}

type Site = { url(path: string): string } & Pick<AdminConfig, 'secureCookies'>

/**
 * Keeps the step in an encrypted cookie of this browser, for ten minutes. [U15]
 */
export function keepSsoStep(
  ctx: HttpContext,
  site: Site,
  step: Omit<SsoStep, 'id' | 'startedAt'>
): void {
  const sealed: SsoStep = { ...step, id: randomUUID(), startedAt: Date.now() }
  const value = encryption.encrypt(sealed, { purpose: STEP_PURPOSE, expiresIn: `${SSO_MINUTES}m` })
  ctx.response.plainCookie(COOKIE, value, cookie(site, SSO_MINUTES * 60))
}

/**
 * Takes the step of the request, whose cookie ends with it.
 *
 * @returns null if there is none, or it is too old
 */
export function takeSsoStep(ctx: HttpContext, site: Site): SsoStep | null {
  const value = ctx.request.plainCookie(COOKIE, { encoded: false })
  if (!value) return null
  ctx.response.clearCookie(COOKIE, cookie(site, 0))
  if (typeof value !== 'string' || value.length > LONGEST) return null
  return encryption.decrypt<SsoStep>(value, STEP_PURPOSE)
}

/**
 * Uses the step up. Of two requests with the same one, one may go on.
 */
export async function useSsoStep({ id }: SsoStep): Promise<boolean> {
  const expiresAt = DateTime.utc().plus({ minutes: SSO_MINUTES })
  try {
    await AdminTokenBlacklist.create({ token: id, expiresAt })
    return true
  } catch (error) {
    /* The id is unique. */
    if (await AdminTokenBlacklist.findBy('token', id)) return false
    throw error
  }
}

/** Sent along when the provider leads back, which is a link from another site. */
function cookie(site: Site, seconds: number) {
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
 * Requests to the provider by a user who is signed in: a proof of who they are [U11], or the link between
 * both. The provider has asked the person anew, so a session that another person left there is not used. [U15]
 */
export class SsoOfSession {
  constructor(private readonly site: AdminSite) {}

  /**
   * @throws SsoRefused
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
      await this.site.notices.tell(owner, 'sso_linked', {}, { session: session.id })
    }
    await redirectWithMessage(ctx, this.site.url('/account'), {
      kind: 'success',
      text: this.site.text('sso.linkedNow'),
    })
  }

  /**
   * @returns undefined once they are linked; id of the user that another request linked first
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

  /**
   * Leads back to where the user came from, and says why.
   */
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
