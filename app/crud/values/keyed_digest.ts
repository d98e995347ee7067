import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'

const PURPOSE = 'entity tags'
const CHARACTERS = 22

let key: KeyObject | undefined

/**
 * A short text that is another one for any other text, and that only this application can make: nobody
 * who has it can try out which text it was made of. The same in every process with the same key. [Q6]
 *
 * @returns 22 characters of base64url: 132 bits
 */
export function keyedDigest(text: string): string {
  const digest = startDigest()
  digest.update(text)
  return digest.end()
}

/**
 * The same of a text that comes piece by piece.
 */
export function startDigest(): { update(piece: string | Buffer): void; end(): string } {
  key ??= createSecretKey(encryption.blindIndex(PURPOSE, PURPOSE), 'utf8')
  /* Of the digests that Node.js has, SHA-512 is the fastest one on long texts that is still sound. */
  const hmac = createHmac('sha512', key)
  return {
    update: (piece) => void hmac.update(piece),
    end: () => hmac.digest('base64url').slice(0, CHARACTERS),
  }
}
