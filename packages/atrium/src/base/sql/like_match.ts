import type { Sql } from './sql.js'
import {
  ANY,
  containedText,
  lengthOfEnd,
  LONGEST_PART,
  ONE,
  partsOf,
  type TextPattern,
  foldText,
} from '../values/text_pattern.js'

/** SQL for the parts of a match on a database server. */
export interface LikeWords {
  /** The escape character for `%` and `_` in a pattern */
  escape: '|' | '\\'
  /** Returns the text with the pattern's letters folded to one form, for case-insensitive matches */
  folded(text: string, pattern: TextPattern): Sql
  /** Returns the condition that a text contains another */
  contains(text: Sql, wanted: string): Sql
}

/**
 * Returns the condition that a text matches the pattern, null if the text is null. LIKE compares the part after a `%`
 * at each position of the text, so a long suffix is compared only with the end of the text, and a long literal text is
 * found in one pass.
 *
 * @param text  expression of the text
 */
export function likeMatch(
  text: string,
  pattern: TextPattern,
  foldCase: boolean,
  words: LikeWords
): Sql {
  const parts = partsOf(pattern)
  const length = lengthOfEnd(parts)
  if (length > LONGEST_PART) {
    const end = pattern.slice(pattern.lastIndexOf(ANY) + 1)
    return like(prepared(`right(${text}, ${length})`, end, foldCase, words), end, foldCase, words)
  }
  const subject = prepared(text, pattern, foldCase, words)
  const contained = containedText(parts) ?? ''
  if (contained.length > LONGEST_PART) {
    return words.contains(subject, foldCase ? foldText(contained) : contained)
  }
  return like(subject, pattern, foldCase, words)
}

function like(
  { sql, bindings }: Sql,
  pattern: TextPattern,
  foldCase: boolean,
  { escape }: LikeWords
): Sql {
  const signs = pattern.map((part) => {
    if (part === ANY) return '%'
    if (part === ONE) return '_'
    const letter = foldCase ? foldText(part) : part
    return letter.replace(
      /[|\\%_]/g,
      (sign) => (/[%_]/.test(sign) || sign === escape ? escape : '') + sign
    )
  })
  return { sql: `${sql} like ? escape '${escape}'`, bindings: [...bindings, signs.join('')] }
}

function prepared(text: string, pattern: TextPattern, foldCase: boolean, words: LikeWords): Sql {
  return foldCase ? words.folded(text, pattern) : { sql: text, bindings: [] }
}
