import { ANY as ANY_CHARACTERS, patternError, type TextPattern } from '#base/values/text_pattern'
import type { Condition } from '#base/columns/condition'
import type { Column } from '#base/columns/column'
import type { ColumnKind } from '#base/columns/column_kind'
import { readUuid } from '#base/values/from_query'
import { exactDecimal, exactInteger, readNumber, ungrouped } from '#base/values/numbers'
import { isStorableText } from '#base/values/text'

/* Maximum length of a search text, longer than typical ones */
const LONGEST_TEXT = 200

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
