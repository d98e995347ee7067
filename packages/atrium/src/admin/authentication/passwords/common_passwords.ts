import { createRequire } from 'node:module'

/* Needed only to set a password, so it is loaded then and not at every start. */
const read = createRequire(import.meta.url)
let known: Set<string> | undefined

/**
 * Returns true for a common password, ignoring case: the list of zxcvbn-ts has 49,000 from leaks.
 * [U13]
 */
export function isCommonPassword(password: string): boolean {
  known ??= new Set(
    (read('@zxcvbn-ts/language-common') as { dictionary: Record<string, string[]> }).dictionary[
      'passwords-common'
    ]
  )
  return known.has(password.toLowerCase())
}
