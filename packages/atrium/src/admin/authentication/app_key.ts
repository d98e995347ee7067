import { ValueError } from '#base/errors'

const SHORTEST_KEY = 32

/* Start of the key in .env.test, which is public */
const KEY_OF_TESTS = /^only-for-tests-/

/**
 * Checks that the key is not a known or weak one, because anyone with the key can sign in as any user.
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

/*
 * Length of the parts of a key that are compared with each other; a random key hardly contains a part twice
 */
const PART = 3
const LEAST_DISTINCT = 0.75

/**
 * Returns true for a key that consists of words, repeats itself or counts up, and can therefore be guessed despite its
 * length.
 */
export function isGuessable(key: string): boolean {
  if (/^([a-z\s._-]+|[A-Z\s._-]+)$/.test(key)) return true
  const starts = Array.from({ length: key.length - PART + 1 }, (_, start) => start)
  const parts = new Set(starts.map((start) => key.slice(start, start + PART)))
  const steps = starts.filter((start) => key.charCodeAt(start + 1) - key.charCodeAt(start) === 1)
  return parts.size < starts.length * LEAST_DISTINCT || steps.length > key.length / 2
}

function refuse(why: string): never {
  throw new ValueError(
    `APP_KEY ${why}. Make one with: node -p "crypto.randomBytes(32).toString('base64url')"`
  )
}
