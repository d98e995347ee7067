import { createRequire } from 'node:module'

/* Only who chooses a password needs them: they are read then, not at every start. */
const read = createRequire(import.meta.url)
let known: Set<string> | undefined

/**
 * Whether a password is one of those that are tried first, in whatever case: the 49,000 that zxcvbn-ts
 * has from leaks. [U13]
 */
export function isCommonPassword(password: string): boolean {
  known ??= new Set(
    (read('@zxcvbn-ts/language-common') as { dictionary: Record<string, string[]> }).dictionary[
      'passwords-common'
    ]
  )
  return known.has(password.toLowerCase())
}
