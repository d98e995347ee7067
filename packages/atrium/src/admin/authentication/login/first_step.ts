import { randomUUID } from 'node:crypto'
import { DateTime } from 'luxon'
import type { HttpContext } from '@adonisjs/core/http'
import encryption from '@adonisjs/core/services/encryption'
import AdminTokenBlacklist from '../../models/admin_token_blacklist.js'
import AdminUser from '../../models/admin_user.js'
import type { Site } from '../../views/site.js'
import type { WithSso } from '../sso/sso.js'
import { DRAFT, DRAFT_IN_BROWSER } from '../../forms/drafts/drafts.js'
import { relyingPartyOf } from '../passkeys/relying_party.js'
import { digest } from '#base/values/digest'

/**
 * Marks a single-use id as used, such as the id of a login step or a challenge. If several requests or processes use
 * the same id, only one gets true.
 *
 * @param id       unique and random, at most 36 characters
 * @param minutes  minutes after which the id expires anyway
 */
export async function useOnce(id: string, minutes: number): Promise<boolean> {
  try {
    await AdminTokenBlacklist.create({ token: id, expiresAt: DateTime.utc().plus({ minutes }) })
    return true
  } catch (error) {
    /* The column is unique: if the id exists now, a concurrent request has used it first. */
    if (await AdminTokenBlacklist.findBy('token', id)) return false
    throw error
  }
}

/** Minutes that the first step stays valid without the second step */
const FIRST_STEP_MINUTES = 5

const COOKIE = 'login_step'
const PURPOSE = 'first step of a login'

/** Maximum length of the encrypted step */
const LONGEST = 1000

interface Sealed {
  /** Unique id, which makes the step single-use */
  id: string
  user: number
  /**
   * Digest of the user's password hash, so that the step becomes invalid when the password changes
   */
  password: string
}

/** A login with a correct password whose second step is pending. */
export interface FirstStep {
  id: string
  user: AdminUser
}

/** A site that sets cookies for its URLs */
export interface WithCookies {
  readonly secureCookies: boolean
  url(path: string): string
}

/**
 * Saves the first step of a login in an encrypted cookie. The cookie is not a session: it only allows the second step,
 * once, in the same browser, within five minutes.
 */
export function keepFirstStep(ctx: HttpContext, site: WithCookies, user: AdminUser): void {
  const sealed: Sealed = { id: randomUUID(), user: user.id, password: printOf(user) }
  const value = encryption.encrypt(sealed, {
    purpose: PURPOSE,
    expiresIn: `${FIRST_STEP_MINUTES}m`,
  })
  ctx.response.plainCookie(COOKIE, value, cookie(site, FIRST_STEP_MINUTES * 60))
}

/**
 * Returns the first step of the request.
 *
 * @returns null if there is none, it is expired or used, the user was deleted, or the password was changed
 */
export async function firstStepOf(ctx: HttpContext): Promise<FirstStep | null> {
  const value = ctx.request.plainCookie(COOKIE, { encoded: false })
  if (typeof value !== 'string' || value.length > LONGEST) return null
  const sealed = encryption.decrypt<Sealed>(value, PURPOSE)
  if (!sealed) return null
  const user = await AdminUser.find(sealed.user)
  if (!user || printOf(user) !== sealed.password) return null
  const isUsed = await AdminTokenBlacklist.findBy('token', sealed.id)
  return isUsed ? null : { id: sealed.id, user }
}

/** Marks the step as used. Returns true for only one of two concurrent requests with the same step. */
export async function useFirstStep({ id }: FirstStep): Promise<boolean> {
  return await useOnce(id, FIRST_STEP_MINUTES)
}

/** Returns true if the request has the cookie of a step, whether or not the cookie is valid. */
export function hasFirstStep({ request }: HttpContext): boolean {
  return Boolean(request.plainCookie(COOKIE, { encoded: false }))
}

export function forgetFirstStep(ctx: HttpContext, site: WithCookies): void {
  if (hasFirstStep(ctx)) {
    ctx.response.clearCookie(COOKIE, cookie(site, 0))
  }
}

function printOf({ hashedPassword }: AdminUser): string {
  return digest(hashedPassword, 'base64url')
}

function cookie(site: WithCookies, seconds: number) {
  return {
    encode: false,
    httpOnly: true,
    sameSite: 'lax' as const,
    path: site.url('/login'),
    secure: site.secureCookies,
    maxAge: seconds,
  }
}

interface LoginFormData {
  error?: string | null
  /** Message that is not shown as an error */
  notice?: string | null
  done?: string | null
  username?: string
  next?: string
}

/** Renders the login page. */
export async function loginForm(
  site: Site & WithSso,
  ctx: HttpContext,
  { error = null, notice = null, done = null, username = '', next }: LoginFormData
): Promise<string> {
  const { sso } = site
  const hasPasswords = sso?.config.passwords ?? true
  return await site.render(ctx, 'pages/login', {
    error,
    notice,
    done,
    username,
    next: next ?? null,
    isKept: leadsToDraft(next ?? null),
    isKeptHere: ctx.request.qs()[DRAFT_IN_BROWSER] !== undefined,
    sso: sso && { label: sso.config.label, url: sso.url({ next: next ?? null }) },
    hasPasswords,
    hasPasskeys: hasPasswords && relyingPartyOf(ctx) !== null,
  })
}

/** Returns true if the page after the login restores submitted values. */
export function leadsToDraft(next: string | null): boolean {
  return new URLSearchParams(next?.split('?', 2)[1]).has(DRAFT)
}
