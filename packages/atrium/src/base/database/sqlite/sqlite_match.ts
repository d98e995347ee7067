import type { Sql } from '../../sql/sql.js'
import {
  ANY,
  containedText,
  foldLetter,
  lengthOfEnd,
  ONE,
  partsOf,
  type TextPattern,
  foldText,
} from '../../values/text_pattern.js'

/*
 * Limits up to which GLOB is faster than many calls of replace(): letters to replace, characters of the pattern, bytes
 * of the text
 */
const FEW_LETTERS = 1
const SHORT_PATTERN = 32
const SHORT_TEXT_BYTES = 4000

/**
 * Returns the condition that the column's text matches the pattern, null if the text is null. After a star, GLOB
 * compares the pattern at every position of the text, so the cost is the product of both lengths; this cost is limited
 * when patterns are read. If case matters, GLOB is used, except for a literal text anywhere (instr). If case is
 * ignored, GLOB is used for prefixes, suffixes and short texts; other patterns are found in one pass by instr or LIKE,
 * in a text whose letters beyond ASCII are folded before, because LIKE folds only those of ASCII.
 *
 * @param name  name of the column as in a statement
 */
export function matchTest(name: string, pattern: TextPattern, foldCase: boolean): Sql {
  const parts = partsOf(pattern)
  const length = lengthOfEnd(parts)
  if (length > 0) {
    /* The other forms of a letter are also one character, so the suffix is as long as the pattern. */
    const sql = `substr(cast(${name} as text), -${length}) glob ?`
    return { sql, bindings: [toGlob(parts[1], foldCase)] }
  }

  const text = containedText(parts)
  if (!foldCase && text !== null) return { sql: `instr(${name}, ?) > 0`, bindings: [text] }
  const glob = { sql: `${name} glob ?`, bindings: [toGlob(pattern, foldCase)] }
  if (!foldCase || parts.length === 1 || isPrefix(parts)) return glob

  const letters = parts.flat().filter((part) => part !== ONE) as string[]
  const replaced = replacements(letters)
  const folded = text === null ? likeTest(name, pattern, replaced) : inTest(name, text, replaced)
  const isShort = parts.flat().length <= SHORT_PATTERN
  if (replaced.length <= FEW_LETTERS || !isShort) return folded
  return {
    sql: `case when octet_length(${name}) <= ${SHORT_TEXT_BYTES} then ${glob.sql} else ${folded.sql} end`,
    bindings: [...glob.bindings, ...folded.bindings],
  }
}

export function toGlob(pattern: TextPattern, foldCase: boolean): string {
  return pattern
    .map((part) => {
      if (part === ANY) return '*'
      if (part === ONE) return '?'
      return [...part].map((character) => globCharacter(character, foldCase)).join('')
    })
    .join('')
}

function globCharacter(character: string, foldCase: boolean): string {
  if ('*?['.includes(character)) return `[${character}]`
  if (!foldCase) return character
  const { forms } = foldLetter(character)
  return forms.length > 1 ? `[${forms.join('')}]` : character
}

type Parts = ReturnType<typeof partsOf>

function isPrefix(parts: Parts): boolean {
  return parts.length === 2 && parts[1].length === 0
}

/** Returns the letters' forms beyond ASCII, with the replacement of each. */
function replacements(letters: string[]): Array<[form: string, folded: string]> {
  const byForm = new Map<string, string>()
  for (const letter of letters) {
    const { folded, forms } = foldLetter(letter)
    for (const form of forms) {
      if (form !== folded && !isAscii(form)) byForm.set(form, folded)
    }
  }
  return [...byForm]
}

function isAscii(character: string): boolean {
  return character <= '\x7f'
}

function replaceIn(name: string, replaced: Array<[string, string]>): Sql {
  const sql = replaced.reduce((inner) => `replace(${inner}, ?, ?)`, name)
  return { sql, bindings: replaced.flat() }
}

function inTest(name: string, text: string, replaced: Array<[string, string]>): Sql {
  const inner = replaceIn(name, replaced)
  const folded = foldText(text)
  const sql = /[a-z]/.test(folded) ? `lower(${inner.sql})` : inner.sql
  return { sql: `instr(${sql}, ?) > 0`, bindings: [...inner.bindings, folded] }
}

function likeTest(name: string, pattern: TextPattern, replaced: Array<[string, string]>): Sql {
  const inner = replaceIn(name, replaced)
  const like = pattern.map((part) => {
    if (part === ANY) return '%'
    return part === ONE ? '_' : foldText(part).replace(/[\\%_]/g, '\\$&')
  })
  return { sql: `${inner.sql} like ? escape '\\'`, bindings: [...inner.bindings, like.join('')] }
}
