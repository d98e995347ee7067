import { isStorableText } from '../values/text.js'
import type { Column } from './column.js'
import type { Condition } from './condition.js'
import { ANY as ANY_CHARACTERS, patternError, type TextPattern } from '#base/values/text_pattern'
import type { ColumnKind } from '#base/columns/column_kind'
import { readUuid } from '#base/values/from_query'
import { exactDecimal, exactInteger, readNumber, ungrouped } from '#base/values/numbers'

/* Maximum length of a search text, longer than typical ones */
const LONGEST_TEXT = 200

/* Maximum number of words, as each word is compared with each column of each row. */
const MOST_WORDS = 10

/*
 * Words for booleans in a search of all columns. `1` and `t` are excluded, as they would match half of all records.
 */
const BOOLEAN_WORDS = ['true', 'false', 'yes', 'no']

const CHOSEN = new WeakMap<object, ReadonlySet<string>>()

/** Limits the API's search of a model to some columns, by API name: `searchableColumns` of `@AdminView`. */
export function searchOnly(model: object, names: Iterable<string>): void {
  CHOSEN.set(model, new Set(names))
}

/** Returns the names that `searchOnly` was called with; undefined for all columns. */
export function searchedNames(model: object): ReadonlySet<string> | undefined {
  return CHOSEN.get(model)
}

/**
 * Returns the columns in which a list is searched: the chosen ones, or all of a searchable type.
 *
 * @param fields  columns that the viewer can see
 */
export function searchedColumns(
  fields: readonly Column[],
  chosen: ReadonlySet<string> | undefined
): Column[] {
  return fields.filter((column) => (chosen?.has(column.apiName) ?? true) && isSearchable(column))
}

/**
 * Returns conditions for records that contain each word in at least one of the columns. A word is compared with a
 * column as in a search of that column alone.
 *
 * @param text       text, not empty
 * @param titleWith  returns the condition that the column refers to a record whose title contains the word
 * @returns null if the search is not possible: no column, too many words or characters, or too many matching titles
 */
export function conditionsOfWords(
  columns: readonly Column[],
  text: string,
  titleWith: (column: Column, word: string) => Condition | 'many' | null | undefined = () => null
): Condition[] | null {
  const words = [...new Set(text.split(/\s+/u).filter((word) => word !== ''))]
  const isReadable =
    columns.length > 0 &&
    words.length <= MOST_WORDS &&
    text.length <= LONGEST_TEXT &&
    isStorableText(text)
  if (!isReadable) return null

  const conditions: Condition[] = []
  for (const word of words) {
    const alternatives: Condition[] = []
    for (const column of columns) {
      const found = wordCondition(column, word)
      /* The column could contain the word, but the search would be too expensive. */
      if (!found && column.kind === 'text') return null
      const titled = titleWith(column, word)
      if (titled === 'many') return null
      for (const one of [found, titled]) if (one) alternatives.push(one)
    }
    conditions.push({ type: 'or', conditions: alternatives })
  }
  return conditions
}

function wordCondition(column: Column, word: string): Condition | null {
  if (column.kind === 'boolean' && !BOOLEAN_WORDS.includes(word.toLowerCase())) return null
  return searchCondition(column, word)
}

const TRUE = ['true', 'yes', '1', 't', 'y']
const FALSE = ['false', 'no', '0', 'f', 'n']

type Search = (column: Column, text: string) => Condition | null

const SEARCHES: Partial<Record<ColumnKind, Search>> = {
  text: textCondition,
  uuid: (column, text) => equal(column, readUuid(text)),
  integer: (column, text) => equal(column, readInteger(ungrouped(text))),
  number: (column, text) => equal(column, readDecimal(column, ungrouped(text))),
  boolean: (column, text) => equal(column, readWord(text)),
}

/** Returns true if the list can be searched by a column of this type. */
export function isSearchable(column: Column): boolean {
  return column.kind in SEARCHES
}

/**
 * Returns the condition of a search in a column: equality for numbers, true or false for a boolean word, otherwise a
 * substring match that ignores case and has no wildcards.
 *
 * @param text  trimmed text, not empty
 * @returns null if the column can't contain the text, in which case the search is ignored
 */
export function searchCondition(column: Column, text: string): Condition | null {
  return SEARCHES[column.kind]?.(column, text) ?? null
}

/**
 * Returns the condition for texts that contain the given one, ignoring case and without wildcards; null if the text
 * is too long.
 */
export function textCondition(
  column: Column,
  text: string
): Extract<Condition, { type: 'match' }> | null {
  if (text.length > LONGEST_TEXT || !isStorableText(text)) return null
  const pattern: TextPattern = [ANY_CHARACTERS, text, ANY_CHARACTERS]
  const match = { column, pattern, foldCase: true, negate: false }
  return patternError([match]) ? null : { type: 'match', ...match }
}

function equal(column: Column, value: unknown): Condition | null {
  return value === null ? null : { type: 'compare', column, operator: 'eq', value }
}

function readInteger(text: string): number | string | null {
  return /^[+-]?\d{1,20}$/.test(text) ? exactInteger(BigInt(text.replace('+', ''))) : null
}

/** Returns a string with all digits for decimal columns. */
function readDecimal(column: Column, text: string): number | string | null {
  return column.isDecimal && readNumber(text) !== null ? exactDecimal(text) : readFloat(text)
}

function readFloat(text: string): number | null {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return null
  const number = Number(text)
  return Number.isFinite(number) ? number : null
}

function readWord(text: string): boolean | null {
  const word = text.toLowerCase()
  if (TRUE.includes(word)) return true
  return FALSE.includes(word) ? false : null
}
