import { isIP } from 'node:net'
import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'
import encryption from '@adonisjs/core/services/encryption'
import type AdminFactor from '../../models/admin_factor.js'
import { digest } from '#base/values/digest'

/**
 * The site as authenticators know it.
 */
export interface RelyingParty {
  /** Host name: a passkey is valid for it alone */
  id: string
  /** The one origin whose pages may use it */
  origin: string
}

/**
 * The site's host and origin: those of `APP_URL`, or outside of production those of the request if its host is
 * `localhost`. [U9]
 *
 * @returns null where the host is an address: browsers make passkeys for names only
 */
export function relyingPartyOf({ request }: HttpContext): RelyingParty | null {
  const here = `${request.protocol()}://${request.host()}`
  const isLocal = !app.inProduction && URL.canParse(here) && new URL(here).hostname === 'localhost'
  const site = new URL(isLocal ? here : app.config.get<string>('app.appUrl'))
  const id = site.hostname
  return isIP(id) || id.startsWith('[') ? null : { id, origin: site.origin }
}

/**
 * The stored parts of a passkey, encrypted with the application's key for its user.
 */
export interface PasskeyDetails {
  /** Credential id, in base64url */
  id: string
  /** In base64url */
  publicKey: string
  /** Name of the user for the authenticator: random, the same for all passkeys of a user */
  handle: string
  transports: string[]
  /** True if it is stored on several devices, as in those of an account in the cloud */
  isSynced: boolean
}

export function sealPasskey(userId: number, details: PasskeyDetails): string {
  return encryption.encrypt(details, { purpose: purposeOf(userId) })
}

/**
 * @returns null for an authenticator app, a row that was another user's, and after a change of APP_KEY
 */
export function passkeyIn({ kind, secret, userId }: AdminFactor): PasskeyDetails | null {
  return kind === 'passkey' ? encryption.decrypt<PasskeyDetails>(secret, purposeOf(userId)) : null
}

/**
 * The value by which a passkey is found.
 */
export function credentialHash(id: string): string {
  return digest(id)
}

function purposeOf(userId: number): string {
  return `passkey of ${userId}`
}
