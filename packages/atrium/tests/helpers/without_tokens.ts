/*
 * Texts without what is random in them. A page holds hundreds of random signs (sealed values, versions, ids),
 * among which each word of three letters is found now and then.
 */
import { Assert } from '@japa/assert'

/** Longest found text that may have come about by chance */
const SHORT = 5

/** Sealed values: three parts of base64url */
const SEALED = /\bgcm\.v\d+:[\w.-]+/g

/** Hexadecimal digits, with or without the hyphens of a UUID */
const HEXADECIMAL =
  /\b(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=\d*[a-f])[0-9a-f]{16,})\b/gi

/** Text that can be base64url. It is random if it has a small letter, a capital one and a digit. */
const LONG = /[\w-]{20,}/g
const KINDS = [/[a-z]/, /[A-Z]/, /\d/]

/** Milliseconds since 1970, and parts of a second */
const TIMES = /\b1\d{12}\b|(?<=\d\d:\d\d:\d\d)[.,]\d+/g

/** Replaces random parts of the text: sealed values, ids, digests, keys and parts of a second. */
export function withoutTokens(text: string): string {
  return text
    .replace(SEALED, '…')
    .replace(HEXADECIMAL, '…')
    .replace(LONG, (run) => (KINDS.every((kind) => kind.test(run)) ? '…' : run))
    .replace(TIMES, '…')
}

/**
 * Keeps `notInclude` and `notMatch` from failing by chance: a short word is not found in a text if it only stands
 * in the random parts of it.
 */
export function ignoreChance(): void {
  const { notInclude, notMatch } = Assert.prototype

  Assert.macro('notInclude', function (this: Assert, text: any, part: any, message?: string) {
    const mayBeChance = typeof text === 'string' && typeof part === 'string' && isShort(part)
    notInclude.call(this, mayBeChance ? withoutTokens(text) : text, part, message)
  })

  Assert.macro('notMatch', function (this: Assert, text, pattern, message) {
    const all = new RegExp(pattern, `${pattern.flags.replace(/[gy]/g, '')}g`)
    const mayBeChance =
      typeof text === 'string' && [...text.matchAll(all)].every(([found]) => isShort(found))
    notMatch.call(this, mayBeChance ? withoutTokens(text) : text, pattern, message)
  })
}

function isShort(text: string): boolean {
  return text.length <= SHORT && /^[\w-]*$/.test(text)
}
