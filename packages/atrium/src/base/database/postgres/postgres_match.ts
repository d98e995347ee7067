import { likeMatch, type LikeWords } from '../../sql/like_match.js'
import type { Sql } from '../../sql/sql.js'
import { foldLetter, ONE, partsOf, type TextPattern } from '../../values/text_pattern.js'

const WORDS: LikeWords = {
  escape: '\\',
  folded: foldIn,
  contains: ({ sql, bindings }, wanted) => ({
    sql: `strpos(${sql}, ?) > 0`,
    bindings: [...bindings, wanted],
  }),
}

/**
 * Returns the condition that a text matches the pattern, null if the text is null. Characters of the pattern are folded
 * in the text with a list of the engine, because the folding of the database depends on its locale.
 *
 * @param text  expression of the text
 */
export function postgresMatch(text: string, pattern: TextPattern, foldCase: boolean): Sql {
  return likeMatch(text, pattern, foldCase, WORDS)
}

function foldIn(text: string, pattern: TextPattern): Sql {
  const [from, to] = forms(pattern)
  return from
    ? { sql: `translate(${text}, ?, ?)`, bindings: [from, to] }
    : { sql: text, bindings: [] }
}

/**
 * Returns the arguments of `translate()`: all variants of the pattern's letters (case, accents), and the folded letter
 * of each at the same index.
 */
function forms(pattern: TextPattern): [from: string, to: string] {
  const letters = new Set(partsOf(pattern).flat())
  const becomes = new Map<string, string>()
  for (const letter of letters) {
    if (letter === ONE) continue
    const { folded, forms: all } = foldLetter(letter as string)
    for (const form of all) if (form !== folded) becomes.set(form, folded)
  }
  return [[...becomes.keys()].join(''), [...becomes.values()].join('')]
}
