import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'

const PURPOSE = 'entity tags'
const CHARACTERS = 22

let key: KeyObject | undefined

/*
 * Algorithm of digests that are stored with events. With another one, values stored by older versions would not be
 * found.
 */
const FOR_ROWS = 'sha512'

/**
 * Algorithm of versions and entity tags, which are not stored: twice as fast, as processors have instructions for it
 */
export const FOR_VERSIONS = 'sha256'

/**
 * Returns the SHA-256 digest of a text. Anyone who knows or guesses the text can compute it: see `keyedDigest`.
 */
export function digest(
  text: string | Buffer,
  encoding: 'hex' | 'base64' | 'base64url' = 'hex'
): string {
  return hash('sha256', text, encoding)
}

/**
 * Returns a short digest of a text with the application's key, so that others cannot guess the text from it. The digest
 * is the same in every process with the same key. [Q6]
 *
 * @returns 22 characters of base64url: 132 bits
 */
export function keyedDigest(text: string | Buffer, algorithm: string = FOR_ROWS): string {
  const started = startDigest(algorithm)
  started.update(text)
  return started.end()
}

/** Starts the digest of a text that arrives in pieces. */
export function startDigest(algorithm: string) {
  key ??= createSecretKey(encryption.blindIndex(PURPOSE, PURPOSE), 'utf8')
  const hmac = createHmac(algorithm, key)
  return {
    update: (piece: string | Buffer) => void hmac.update(piece),
    end: () => hmac.digest('base64url').slice(0, CHARACTERS),
  }
}

/**
 * Returns the version of a response. [Q6]
 *
 * @param json  the whole response, or the whole item if the response contains only some of its fields
 */
export function versionOfJson(json: string | Buffer): string {
  return keyedDigest(json, FOR_VERSIONS)
}
