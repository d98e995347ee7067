import { randomUUID } from 'node:crypto'
import type { HttpContext } from '@adonisjs/core/http'
import encryption from '@adonisjs/core/services/encryption'
import { DateTime } from 'luxon'
import type { AdminConfig } from '../../define_config.js'
import AdminTokenBlacklist from '../../models/admin_token_blacklist.js'
import type { SsoSecrets } from './sso_provider.js'

/** Minutes in which the person has to come back from the provider */
export const SSO_MINUTES = 10

const COOKIE = 'sso_step'
const PURPOSE = 'single sign-on'

/** Longer than any sealed step: its page to go on with has at most 2048 characters */
const LONGEST = 4000

/** To log in; to prove again who a signed-in user is; to link them with the person at the provider */
export type SsoAim = 'login' | 'proof' | 'link'

/**
 * Values that a browser has to come back with from the provider.
 */
export interface SsoStep extends SsoSecrets {
  /** Of this one step, so that it is valid for one answer */
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
  const value = encryption.encrypt(sealed, { purpose: PURPOSE, expiresIn: `${SSO_MINUTES}m` })
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
  return encryption.decrypt<SsoStep>(value, PURPOSE)
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
