import { createRequire } from 'node:module'
import type AdminUser from '../../models/admin_user.js'

/* The word list is loaded only when a password is set, not at every start. */
const read = createRequire(import.meta.url)
let known: Set<string> | undefined

/**
 * Returns true for a common password, ignoring case: one of 49,000 leaked passwords in the list of zxcvbn-ts.
 */
export function isCommonPassword(password: string): boolean {
  known ??= new Set(
    (read('@zxcvbn-ts/language-common') as { dictionary: Record<string, string[]> }).dictionary[
      'passwords-common'
    ]
  )
  return known.has(password.toLowerCase())
}

/** Words that attackers try first, whatever the name of the site */
const USUAL = ['atrium', 'admin', 'administrator', 'superuser']

/* Minimum length of a word; shorter parts of a name would reject unrelated passwords. */
const SHORTEST_PART = 3

/**
 * Returns the words of a site that are rejected as passwords: the title, the host, and parts of both.
 *
 * @param site.title   title of the site
 * @param site.appUrl  address of the site
 */
export function wordsOfSite({ title, appUrl }: { title: string; appUrl: string }): string[] {
  const host = URL.canParse(appUrl) ? new URL(appUrl).hostname : ''
  const labels = host.split('.')
  const parents = labels.map((_, index) => labels.slice(index).join('.'))
  return [...USUAL, title, ...partsOf(title), ...parents, ...labels, ...partsOf(host)]
}

/** Returns the words of an email address that are rejected as the owner's password. */
export function wordsOfEmail(email: string): string[] {
  const [local] = email.split('@', 1)
  return [email, local, ...partsOf(local)]
}

/**
 * Returns true if a password is one of the words, ignoring case and the symbols within it, or such a word with digits
 * and symbols before or after it: `Film-Shop 2026!` for `Film shop`.
 */
export function isContextWord(password: string, words: readonly string[]): boolean {
  const core = coreOf(password)
  return core !== '' && words.some((word) => coreOf(word) === core)
}

function partsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((part) => [...part].length >= SHORTEST_PART)
}

/** Returns the letters and digits from the first to the last letter. */
function coreOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/* Characters that users add around a name to form a password */
const AROUND = /^[^\p{L}]+|[^\p{L}]+$/gu

/**
 * Returns true if a password is the user name, ignoring case, or the user name with digits and symbols before or after
 * it: `Jo.2026!` for `jo`.
 */
export function isUserName(password: string, username: string): boolean {
  const [text, name] = [password.toLowerCase(), username.toLowerCase()]
  const core = name.replaceAll(AROUND, '')
  return text === name || (core !== '' && text.replaceAll(AROUND, '') === core)
}

/**
 * Stored instead of a hash for users without a password: invited users who have not chosen one yet, and users who log
 * in by another method. No password matches it, because it is not a valid hash of any algorithm.
 */
export const NO_PASSWORD = '!'

/** Returns true if the user can sign in with a password. */
export function hasPassword({ hashedPassword }: Pick<AdminUser, 'hashedPassword'>): boolean {
  return hashedPassword !== NO_PASSWORD
}
