import { hash } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'
import type AdminFactor from '../../models/admin_factor.js'

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
  /** True if it is kept in several devices, as in those of an account in the cloud */
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
  return hash('sha256', id, 'hex')
}

function purposeOf(userId: number): string {
  return `passkey of ${userId}`
}
