import { likeMatch, type LikeWords } from '../../sql/like_match.js'
import type { Sql } from '../../sql/sql.js'
import { foldLetter, ONE, partsOf, type TextPattern } from '../../values/text_pattern.js'

const WORDS: LikeWords = {
  escape: '|',
  folded: foldIn,
  contains: ({ sql, bindings }, wanted) => ({
    sql: `locate(?, ${sql}) > 0`,
    bindings: [wanted, ...bindings],
  }),
}

/**
 * Returns the condition that a text matches the pattern, null if the text is null. To ignore case, ASCII letters are
 * folded by `lower()`, and each other form of a letter of the pattern is replaced by the folded letter.
 *
 * @param text  expression of the text, in a collation that compares exactly
 */
export function mysqlMatch(text: string, pattern: TextPattern, foldCase: boolean): Sql {
  return likeMatch(text, pattern, foldCase, WORDS)
}

/* `lower()` would convert the dotted I to i, but for the engine it is a separate letter, so it is replaced before. */
const DOTTED_I = '\u0130'
const NO_LETTER = '\uFFFD'

function foldIn(text: string, pattern: TextPattern): Sql {
  const letters = [...new Set(partsOf(pattern).flat())].filter((part) => part !== ONE) as string[]
  const folds = letters.map((letter) => foldLetter(letter)).filter(({ forms }) => forms.length > 1)
  if (folds.length === 0) return { sql: text, bindings: [] }

  const hasI = folds.some(({ folded }) => folded === 'i')
  const safe = hasI ? `replace(${text}, ?, ?)` : text
  const bindings = hasI ? [DOTTED_I, NO_LETTER] : []
  const lowered: Sql = folds.some(({ folded }) => folded <= '\x7f')
    ? { sql: `lower(${safe})`, bindings }
    : { sql: text, bindings: [] }
  return folds
    .flatMap(({ folded, forms }) => forms.map((form) => [form, folded]))
    .filter(([form, folded]) => form !== folded && form > '\x7f')
    .reduce(
      (inner, pair) => ({
        sql: `replace(${inner.sql}, ?, ?)`,
        bindings: [...inner.bindings, ...pair],
      }),
      lowered
    )
}
