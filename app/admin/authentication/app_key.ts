import { ValueError } from '#crud/errors'

export const SHORTEST_KEY = 32

/* Of .env.test, which everybody can read */
const KEY_OF_TESTS = /^only-for-tests-/

/**
 * Whoever knows the key signs in as anybody, so production has none that can be known or guessed.
 *
 * @throws ValueError  which does not show the key
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
