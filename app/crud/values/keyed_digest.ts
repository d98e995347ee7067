import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'

const PURPOSE = 'entity tags'
const CHARACTERS = 22

let key: KeyObject | undefined

/**
 * A short digest of a text with the application's key, so that nobody else can guess the text from it.
 * The same in every process with the same key. [Q6]
 *
 * @returns 22 characters of base64url: 132 bits
 */
export function keyedDigest(text: string): string {
  const digest = startDigest()
  digest.update(text)
  return digest.end()
}

/** The digest of a text that arrives in pieces. */
export function startDigest(): { update(piece: string | Buffer): void; end(): string } {
  key ??= createSecretKey(encryption.blindIndex(PURPOSE, PURPOSE), 'utf8')
  /* SHA-512 is the fastest secure digest of Node.js on long texts. */
  const hmac = createHmac('sha512', key)
  return {
    update: (piece) => void hmac.update(piece),
    end: () => hmac.digest('base64url').slice(0, CHARACTERS),
  }
}
