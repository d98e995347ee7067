import type { Sql } from '../sql/sql.js'
import {
  foldLetter,
  ONE,
  partsOf,
  type TextPattern,
  ANY,
  containedText,
  lengthOfEnd,
  LONGEST_PART,
  foldText,
} from '../values/text_pattern.js'

const MYSQL: LikeWords = {
  escape: '|',
  folded: foldInMysql,
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
  return likeMatch(text, pattern, foldCase, MYSQL)
}

/* `lower()` would convert the dotted I to i, but for the engine it is a separate letter, so it is replaced before. */
const DOTTED_I = '\u0130'
const NO_LETTER = '\uFFFD'

function foldInMysql(text: string, pattern: TextPattern): Sql {
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

const POSTGRES: LikeWords = {
  escape: '\\',
  folded: foldInPostgres,
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
  return likeMatch(text, pattern, foldCase, POSTGRES)
}

function foldInPostgres(text: string, pattern: TextPattern): Sql {
  const [from, to] = formsOf(pattern)
  return from
    ? { sql: `translate(${text}, ?, ?)`, bindings: [from, to] }
    : { sql: text, bindings: [] }
}

/**
 * Returns the arguments of `translate()`: all variants of the pattern's letters (case, accents), and the folded letter
 * of each at the same index.
 */
function formsOf(pattern: TextPattern): [from: string, to: string] {
  const letters = new Set(partsOf(pattern).flat())
  const becomes = new Map<string, string>()
  for (const letter of letters) {
    if (letter === ONE) continue
    const { folded, forms: all } = foldLetter(letter as string)
    for (const form of all) if (form !== folded) becomes.set(form, folded)
  }
  return [[...becomes.keys()].join(''), [...becomes.values()].join('')]
}

/** SQL for the parts of a match on a database server. */
interface LikeWords {
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
function likeMatch(text: string, pattern: TextPattern, foldCase: boolean, words: LikeWords): Sql {
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
