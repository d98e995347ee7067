import { createHash, createHmac, hash } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'

const PURPOSE = 'entity tags'
const CHARACTERS = 22

let secret: string | undefined

/*
 * Algorithm of digests that are stored with events. With another one, values stored by older versions would not be
 * found.
 */
const FOR_ROWS = 'sha512'

/** Algorithm of versions, which are not stored: twice as fast, as processors have instructions for it */
const FOR_VERSIONS = 'sha256'

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
 * is the same in every process with the same key.
 *
 * @returns 22 characters of base64url: 132 bits
 */
export function keyedDigest(text: string): string {
  return shortened(createHmac(FOR_ROWS, ownSecret()).update(text).digest('base64url'))
}

/**
 * Returns the version of a response. Others cannot compute it from the text, as the application's secret comes first in
 * the digest, and cannot extend the digest, as a half of it is cut off. An HMAC would take three times as long.
 *
 * @param json  the whole response, or the whole item if the response contains only some of its fields
 */
export function versionOfJson(json: string | Buffer): string {
  if (typeof json !== 'string') return startVersion().update(json).end()
  return shortened(hash(FOR_VERSIONS, ownSecret() + json, 'base64url'))
}

/** Starts the version of a response that arrives in pieces. */
export function startVersion() {
  const digesting = createHash(FOR_VERSIONS).update(ownSecret())
  const version = {
    update(piece: Buffer) {
      digesting.update(piece)
      return version
    },
    /** Returns the version; can be called only once */
    end: () => shortened(digesting.digest('base64url')),
  }
  return version
}

function ownSecret(): string {
  return (secret ??= encryption.blindIndex(PURPOSE, PURPOSE))
}

function shortened(text: string): string {
  return text.slice(0, CHARACTERS)
}
