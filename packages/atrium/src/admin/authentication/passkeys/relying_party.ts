import { isIP } from 'node:net'
import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'
import encryption from '@adonisjs/core/services/encryption'
import type AdminFactor from '../../models/admin_factor.js'
import { digest } from '#base/values/digest'

/** The site as identified to authenticators. */
export interface RelyingParty {
  /** Host name; a passkey is valid only for this name */
  id: string
  /** The only origin whose pages can use the passkey */
  origin: string
}

/**
 * Returns the site's host and origin: those of `APP_URL`, or outside of production those of the request if the host is
 * `localhost`.
 *
 * @returns null if the host is an IP address, because browsers create passkeys for names only
 */
export function relyingPartyOf({ request }: HttpContext): RelyingParty | null {
  const here = `${request.protocol()}://${request.host()}`
  const isLocal = !app.inProduction && URL.canParse(here) && new URL(here).hostname === 'localhost'
  const site = new URL(isLocal ? here : app.config.get<string>('app.appUrl'))
  const id = site.hostname
  return isIP(id) || id.startsWith('[') ? null : { id, origin: site.origin }
}

/** The stored data of a passkey, encrypted with the application's key for the user of the passkey. */
export interface PasskeyDetails {
  /** Credential id, in base64url */
  id: string
  /** In base64url */
  publicKey: string
  /** Random user handle for the authenticator, the same for all passkeys of a user */
  handle: string
  transports: string[]
  /** True if it is synchronized between devices, such as by a cloud account */
  isSynced: boolean
}

export function sealPasskey(userId: number, details: PasskeyDetails): string {
  return encryption.encrypt(details, { purpose: purposeOf(userId) })
}

/**
 * Returns the data of a passkey; null for an authenticator app, for a row that belonged to another user, and after a
 * change of APP_KEY.
 */
export function passkeyIn({ kind, secret, userId }: AdminFactor): PasskeyDetails | null {
  return kind === 'passkey' ? encryption.decrypt<PasskeyDetails>(secret, purposeOf(userId)) : null
}

/** Returns the hash by which a passkey is found. */
export function credentialHash(id: string): string {
  return digest(id)
}

function purposeOf(userId: number): string {
  return `passkey of ${userId}`
}
