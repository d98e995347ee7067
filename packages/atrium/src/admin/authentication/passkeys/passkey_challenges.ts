import { randomBytes, randomUUID } from 'node:crypto'
import type { HttpContext } from '@adonisjs/core/http'
import encryption from '@adonisjs/core/services/encryption'
import { useOnce, type WithCookies } from '../login/first_step.js'

/** Purpose of a challenge */
export type ChallengePurpose = 'login' | 'second_step' | 'proof' | 'enrolment'

/** Minutes that a challenge is valid */
const MINUTES = 5

/** Maximum length of an encrypted challenge */
const LONGEST = 1500

/** Conditions that a challenge is bound to, in addition to the browser. */
export interface ChallengeTerms {
  purpose: ChallengePurpose
  /** Id of the session or login step that the challenge belongs to */
  within?: string
}

interface Sealed {
  id: string
  challenge: string
  within: string
  handle?: string
}

/**
 * Creates a challenge for a passkey to sign, and stores it in an encrypted cookie. The challenge is valid in this
 * browser, for this purpose, for five minutes and for a single use. The server stores nothing until the challenge is
 * used.
 *
 * @param handle  user handle of a new passkey, stored with the challenge
 */
export function giveChallenge(
  ctx: HttpContext,
  site: WithCookies,
  { purpose, within = '' }: ChallengeTerms,
  handle?: string
): Uint8Array<ArrayBuffer> {
  const challenge = new Uint8Array(randomBytes(32))
  const text = Buffer.from(challenge).toString('base64url')
  const sealed: Sealed = { id: randomUUID(), challenge: text, within, handle }
  const value = encryption.encrypt(sealed, {
    purpose: sealPurpose(purpose),
    expiresIn: `${MINUTES}m`,
  })
  ctx.response.plainCookie(cookieName(purpose), value, cookie(site, MINUTES * 60))
  return challenge
}

/**
 * Uses the challenge of the request's cookie.
 *
 * @returns null if there is none, or it is expired, used, or for another purpose
 */
export async function takeChallenge(
  ctx: HttpContext,
  site: WithCookies,
  { purpose, within = '' }: ChallengeTerms
): Promise<Pick<Sealed, 'challenge' | 'handle'> | null> {
  const value = ctx.request.plainCookie(cookieName(purpose), { encoded: false })
  if (typeof value !== 'string' || value.length > LONGEST) return null
  ctx.response.clearCookie(cookieName(purpose), cookie(site, 0))
  const sealed = encryption.decrypt<Sealed>(value, sealPurpose(purpose))
  if (sealed?.within !== within) return null
  return (await useOnce(sealed.id, MINUTES)) ? sealed : null
}

function sealPurpose(purpose: ChallengePurpose): string {
  return `challenge of a passkey: ${purpose}`
}

function cookieName(purpose: ChallengePurpose): string {
  return `passkey_${purpose}`
}

function cookie(site: WithCookies, seconds: number) {
  return {
    encode: false,
    httpOnly: true,
    sameSite: 'lax' as const,
    path: site.url('/'),
    secure: site.secureCookies,
    maxAge: seconds,
  }
}
