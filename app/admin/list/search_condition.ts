import { ANY, patternFault, type TextPattern } from '#crud/values/text_pattern'
import type { Condition } from '#crud/request/condition'
import type { Column, ColumnKind } from '#crud/resource/column'
import { readUuid } from '#crud/values/from_query'
import { exactInteger } from '#crud/values/numbers'
import { isStorableText } from '#crud/values/text'

/* Nobody types a longer one. */
const LONGEST_TEXT = 200

const TRUE = ['true', 'yes', '1', 't', 'y']
const FALSE = ['false', 'no', '0', 'f', 'n']

type Search = (column: Column, text: string) => Condition | null

const SEARCHES: Partial<Record<ColumnKind, Search>> = {
  text: textCondition,
  uuid: (column, text) => equal(column, readUuid(text)),
  integer: (column, text) =>
    equal(
      column,
      /^[+-]?\d{1,20}$/.test(text) ? exactInteger(BigInt(text.replace('+', ''))) : null
    ),
  number: (column, text) => equal(column, readFloat(text)),
  boolean: (column, text) => equal(column, readWord(text)),
}

/**
 * Whether a list can be searched by columns of this kind at all.
 */
export function isSearchable(column: Column): boolean {
  return column.kind in SEARCHES
}

/**
 * What a search in the column asks for: the number itself, the boolean that a word stands for, or a
 * part of the text, whatever its case and with every sign literal. [S30, B15]
 *
 * @param text  trimmed, not empty
 * @returns null if the text can't be looked for in such a column: then nothing is filtered
 */
export function searchCondition(column: Column, text: string): Condition | null {
  return SEARCHES[column.kind]?.(column, text) ?? null
}

/**
 * Texts that have the given one in them, whatever its case and with every sign literal; null if it is
 * too long to be looked for. [B15, B17]
 */
export function textCondition(column: Column, text: string): Condition | null {
  if (text.length > LONGEST_TEXT || !isStorableText(text)) return null
  const pattern: TextPattern = [ANY, text, ANY]
  const match = { column, pattern, foldCase: true, negate: false }
  return patternFault([match]) ? null : { type: 'match', ...match }
}

function equal(column: Column, value: unknown): Condition | null {
  return value === null ? null : { type: 'compare', column, operator: 'eq', value }
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
