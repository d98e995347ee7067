/* Spreadsheets take these as the start of a formula, full-width characters too; apostrophes before it count. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/
const ESCAPED = /^'+[=+\-@\t\r\n＝＋－＠]/

/**
 * Escapes a text that a spreadsheet would run as a formula: it gets an apostrophe in front, as does a text that
 * begins with apostrophes followed by such a text. [D2, D5]
 */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/**
 * Takes the apostrophe away that `escapeFormula` has put before a text. [D2]
 */
export function unescapeFormula(text: string): string {
  return ESCAPED.test(text) ? text.slice(1) : text
}
