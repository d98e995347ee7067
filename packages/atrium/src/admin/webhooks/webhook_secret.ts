import { randomBytes } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'
import { Webhook } from 'standardwebhooks'
import type AdminWebhook from '../models/admin_webhook.js'

const PREFIX = 'whsec_'
const PURPOSE = 'webhook secret'
const BYTES = 32

/** Milliseconds for which messages are also signed with the previous secret, so that receivers can change theirs */
export const OVERLAP = 24 * 60 * 60_000

/** Returns a new secret. */
export function newSecret(): string {
  return PREFIX + randomBytes(BYTES).toString('base64')
}

export function sealSecret(secret: string): string {
  return encryption.encrypt(secret, { purpose: PURPOSE })
}

/** @returns null for a secret that was encrypted with another key of the application */
export function openSecret(sealed: string): string | null {
  return encryption.decrypt<string>(sealed, PURPOSE)
}

type Secrets = Pick<AdminWebhook, 'secret' | 'previousSecret' | 'previousSecretUntil'>

/**
 * Returns the headers of a message, as Standard Webhooks describes them. After a rotation there are two signatures.
 *
 * @param now  milliseconds
 * @returns null if the secret cannot be decrypted
 */
export function signedHeaders(
  { secret, previousSecret, previousSecretUntil }: Secrets,
  { id, body, now }: { id: string; body: string; now: number }
): Record<string, string> | null {
  const current = openSecret(secret)
  if (current === null) return null
  const isValid = previousSecret !== null && (previousSecretUntil ?? 0) > now
  const previous = isValid ? openSecret(previousSecret) : null
  const at = new Date(now)
  const secrets = previous === null ? [current] : [current, previous]
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': secrets.map((one) => new Webhook(one).sign(id, at, body)).join(' '),
  }
}
