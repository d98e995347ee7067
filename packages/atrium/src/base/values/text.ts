import string from '@adonisjs/core/helpers/string'

/** True if every database can store the text unchanged: no NUL, no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** True if every text inside the value, including names of properties, can be stored. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value)
  if (Array.isArray(value)) return value.every(isStorable)
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).every(([key, inner]) => isStorableText(key) && isStorable(inner))
  }
  return true
}

/** Returns the number of characters as databases count them, not UTF-16 units: an emoji is one character. */
export function characterCount(text: string): number {
  return [...text].length
}

/* Matches only at the end: `token_count` and `password_changed_at` are not secret. */
const SECRET = new RegExp(
  '(^|_)(' +
    'passwords?|passwd|pwd|passphrases?|secrets?|tokens?|credentials?|otp|pin|cvv|recovery_codes?|' +
    '(api|access|auth|private|secret|signing|encryption|license|licence|ssh|session)_?keys?' +
    ')(_(hash|digest|value|pem))?$'
)

/** True if the name indicates a secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(string.snakeCase(name))
}

/* Spreadsheets treat these characters, including full-width ones, as the start of a formula, even after apostrophes. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/
const ESCAPED = /^'+[=+\-@\t\r\n＝＋－＠]/

/**
 * Escapes a text that a spreadsheet would run as a formula by adding an apostrophe in front. A text that already begins
 * with apostrophes followed by a formula also gets one.
 */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** Removes the apostrophe that `escapeFormula` has put before a text. */
export function unescapeFormula(text: string): string {
  return ESCAPED.test(text) ? text.slice(1) : text
}
