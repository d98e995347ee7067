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
