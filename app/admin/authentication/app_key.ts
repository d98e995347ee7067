import { ValueError } from '#crud'

export const SHORTEST_KEY = 32

/* The key of .env.test, which is public */
const KEY_OF_TESTS = /^only-for-tests-/

/**
 * Checks that the key is not a known or weak one: anyone with the key can sign in as any user.
 *
 * @throws ValueError  whose message does not contain the key
 */
export function checkAppKey(key: string): void {
  if (KEY_OF_TESTS.test(key)) refuse('is the one of .env.test, which everybody knows')
  if (key.length < SHORTEST_KEY) {
    refuse(`has ${key.length} characters, and must have ${SHORTEST_KEY} at least`)
  }
  if (new Set(key).size < 8) refuse('repeats the same few characters')
}

function refuse(why: string): never {
  throw new ValueError(
    `APP_KEY ${why}. Make one with: node -p "crypto.randomBytes(32).toString('base64url')"`
  )
}
