import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
} from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

let keys: { cipher: KeyObject; nonce: KeyObject } | undefined

/**
 * Encrypts and authenticates a text with the application's key. The same text with the same purpose gives the same
 * result, so the nonce is a digest of both. AdonisJS's deterministic driver, AES-SIV in JavaScript, takes thirty times
 * as long.
 *
 * @returns base64url
 */
export function sealText(text: string, purpose: string): string {
  const nonce = nonceOf(text, purpose)
  const cipher = createCipheriv(CIPHER, sealKeys().cipher, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(purpose))
  const sealed = [cipher.update(text, 'utf8'), cipher.final()]
  return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url')
}

/**
 * Returns the text that was sealed for this purpose.
 *
 * @returns null for anything else
 */
export function unsealText(sealed: string, purpose: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  /* The bytes are encoded again and compared, because the decoder skips characters outside its alphabet. */
  if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return null
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const cipher = createDecipheriv(CIPHER, sealKeys().cipher, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(purpose))
  cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  try {
    const text = cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
    return Buffer.concat([text, cipher.final()]).toString()
  } catch {
    return null
  }
}

/** Returns the nonce. Different texts or purposes must never share one, so the length separates purpose and text. */
function nonceOf(text: string, purpose: string): Buffer {
  const hmac = createHmac('sha256', sealKeys().nonce)
  hmac.update(`${purpose.length} ${purpose}`).update(text)
  return hmac.digest().subarray(0, NONCE_BYTES)
}

function sealKeys() {
  keys ??= { cipher: keyFor('sealed texts'), nonce: keyFor('nonces of sealed texts') }
  return keys
}

/** Derives a key of 32 bytes from the application's key. */
function keyFor(purpose: string): KeyObject {
  return createSecretKey(Buffer.from(encryption.blindIndex(purpose, purpose), 'base64url'))
}
