import { createRequire } from 'node:module'
import type AdminUser from '../../models/admin_user.js'

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

/** Words that everybody tries first at a site like this one, whatever its name */
const USUAL = ['atrium', 'admin', 'administrator', 'superuser']

/* A shorter part of a name would refuse passwords that have nothing to do with it. */
const SHORTEST_PART = 3

/**
 * The words of a site that a password must not be: its title, its host, and their parts. [U13]
 *
 * @param site.title   as every page shows it
 * @param site.appUrl  address of the site
 */
export function wordsOfSite({ title, appUrl }: { title: string; appUrl: string }): string[] {
  const host = URL.canParse(appUrl) ? new URL(appUrl).hostname : ''
  const labels = host.split('.')
  const parents = labels.map((_, index) => labels.slice(index).join('.'))
  return [...USUAL, title, ...partsOf(title), ...parents, ...labels, ...partsOf(host)]
}

/**
 * The words of an e-mail address that its owner's password must not be. [U13]
 */
export function wordsOfEmail(email: string): string[] {
  const [local] = email.split('@', 1)
  return [email, local, ...partsOf(local)]
}

/**
 * Returns true if a password is one of the words, whatever the case and the symbols in between, or that with digits
 * and signs before or after it: `Film-Shop 2026!` for `Film shop`. [U13]
 */
export function isContextWord(password: string, words: readonly string[]): boolean {
  const core = coreOf(password)
  return core !== '' && words.some((word) => coreOf(word) === core)
}

function partsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((part) => [...part].length >= SHORTEST_PART)
}

/** Letters and digits from the first to the last letter. */
function coreOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/* Characters that people put around a name to make a password of it */
const AROUND = /^[^\p{L}]+|[^\p{L}]+$/gu

/**
 * Returns true if a password is the user name, whatever the case, or that with digits and signs before or after
 * it: `Jo.2026!` for `jo`. [U13]
 */
export function isUserName(password: string, username: string): boolean {
  const [text, name] = [password.toLowerCase(), username.toLowerCase()]
  const core = name.replaceAll(AROUND, '')
  return text === name || (core !== '' && text.replaceAll(AROUND, '') === core)
}

/**
 * Replaces the hash of users who have no password: who are invited and have not chosen one, or who
 * sign in by other means. It is not a hash of any algorithm, so no password fits it. [U12]
 */
export const NO_PASSWORD = '!'

/**
 * Returns true if the user can sign in with a password.
 */
export function hasPassword({ hashedPassword }: Pick<AdminUser, 'hashedPassword'>): boolean {
  return hashedPassword !== NO_PASSWORD
}
