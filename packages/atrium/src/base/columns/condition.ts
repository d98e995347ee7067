import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Sql } from '../sql/sql.js'
import type { Actor } from '../types.js'
import { ANY, parseLike, patternError, type TextPattern } from '../values/text_pattern.js'
import type { Column } from './column.js'
import { fromQuery } from '../values/from_query.js'
import { isStorableText } from '../values/text.js'
import { isOperator, operatorsOf, type Operator } from './operators.js'
import { UnreadableFilter } from '../errors.js'

/** Operators that compare with one value */
export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'

/** A filter whose values are validated and converted, ready for a query. */
export type Condition =
  | { type: 'compare'; column: Column; operator: ComparisonOperator; value: unknown }
  | { type: 'null'; column: Column; negate: boolean }
  /* An array that is null or empty */
  | { type: 'empty'; column: Column; negate: boolean }
  /* An array that contains the item */
  | { type: 'item'; column: Column; value: unknown }
  | { type: 'list'; column: Column; values: unknown[]; negate: boolean }
  | { type: 'match'; column: Column; pattern: TextPattern; foldCase: boolean; negate: boolean }
  | { type: 'between'; column: Column; from: unknown; to: unknown }
  | { type: 'among'; column: Column; values: Subselect }
  | { type: 'reached'; condition: Subselect }
  /* Rows that do not meet the condition and in which the column is not null */
  | { type: 'not'; column: Column; condition: Condition }
  /* An operator of the application; name and value identify the condition */
  | { type: 'custom'; column: Column; operator: string; value: unknown; condition: Subselect }
  /* A condition that the application sets; it can name columns that the actor cannot see */
  | { type: 'computed'; condition: Condition }
  /* Without conditions: false */
  | { type: 'or'; conditions: Condition[] }
  /* Without conditions: true */
  | { type: 'and'; conditions: Condition[] }

/** A statement or a condition that depends on what the actor is allowed to see. */
export type Subselect = (client: QueryClientContract, options: { actor?: Actor }) => Sql

/* Maximum length of a pattern in characters; the time of a comparison grows with the length. */
const LONGEST_PATTERN = 1000

/** Maximum number of values of `in` and `not_in`. */
export const VALUES_MAX = 1000

/**
 * Reads a filter's value by its operator and its column's type.
 *
 * @param given  a text, or a list of texts for an operator that accepts several values
 * @throws UnreadableFilter
 */
export function readCondition(
  column: Column,
  operator: Operator,
  given: string | string[]
): Condition {
  if (LISTING.includes(operator)) {
    return readList(column, operator, typeof given === 'string' ? splitList(given) : given)
  }
  if (typeof given !== 'string') throw new UnreadableFilter({ reason: 'single' })
  return readSingle(column, operator, given)
}

/** Returns the negation of a condition on a column. A row with null matches neither of them. */
export function negated(column: Column, condition: Condition): Condition {
  return { type: 'not', column, condition }
}

/** Operators with comma-separated values. */
const LISTING: Operator[] = ['in', 'not_in', 'between', 'or']

function readList(column: Column, operator: Operator, parts: string[]): Condition {
  switch (operator) {
    case 'between': {
      if (parts.length !== 2) throw new UnreadableFilter({ reason: 'pair' })
      const [from, to] = parts.map((part) => readValue(column, part))
      return { type: 'between', column, from, to }
    }
    case 'or': {
      /* The total length is limited because each alternative is tested for every row. */
      if (parts.join('').length > LONGEST_PATTERN) {
        throw new UnreadableFilter({ reason: 'longestInAll', most: LONGEST_PATTERN })
      }
      const conditions = atMost(100, parts).map((part) => readPair(column, part))
      return { type: 'or', conditions: quickEnough(conditions) }
    }
    default: {
      const values = atMost(VALUES_MAX, parts).map((part) => readValue(column, part))
      return { type: 'list', column, values, negate: operator === 'not_in' }
    }
  }
}

function readSingle(column: Column, operator: Operator, text: string): Condition {
  switch (operator) {
    case 'is':
    case 'is_not':
      return readIs(column, operator === 'is_not', text)
    case 'exact':
      return { type: 'compare', column, operator: 'eq', value: readValue(column, text) }
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { type: 'compare', column, operator, value: readValue(column, text) }
    default:
      if (column.element) return { type: 'item', column, value: readValue(column.element, text) }
      return readPattern(column, operator, text)
  }
}

function readValue(column: Column, text: string): unknown {
  const value = fromQuery(column, text)
  if (value === null) {
    throw new UnreadableFilter({ reason: 'kind', kind: column.kind, text })
  }
  return value
}

function readIs(column: Column, negate: boolean, text: string): Condition {
  if (text === 'null') return { type: 'null', column, negate }
  if (column.element) {
    if (text === 'empty') return { type: 'empty', column, negate }
    throw new UnreadableFilter({ reason: 'nullOrEmpty' })
  }
  if (column.kind === 'boolean' && (text === 'true' || text === 'false')) {
    const value = text === 'true'
    if (!negate) return { type: 'compare', column, operator: 'eq', value }
    /* Includes rows with null, for which a comparison alone is not true in SQL. */
    return {
      type: 'or',
      conditions: [
        { type: 'compare', column, operator: 'ne', value },
        { type: 'null', column, negate: false },
      ],
    }
  }
  throw new UnreadableFilter({ reason: column.kind === 'boolean' ? 'nullOrBoolean' : 'null' })
}

function readPattern(column: Column, operator: Operator, text: string): Condition {
  if (!isStorableText(text)) throw new UnreadableFilter({ reason: 'text' })
  if (text.length > LONGEST_PATTERN) {
    throw new UnreadableFilter({ reason: 'longest', most: LONGEST_PATTERN })
  }
  const patterns: Partial<Record<Operator, TextPattern>> = {
    startswith: [text, ANY],
    endswith: [ANY, text],
    contains: [ANY, text, ANY],
  }
  const [match] = quickEnough([
    {
      type: 'match',
      column,
      pattern: patterns[operator] ?? parseLike(text),
      foldCase: operator.endsWith('ilike'),
      negate: operator.startsWith('not_'),
    },
  ])
  return match
}

/** Checks the cost of patterns, because the cost of a request must not depend on the length of stored texts. */
function quickEnough(conditions: Condition[]): Condition[] {
  const matches = conditions.filter((condition) => condition.type === 'match')
  const error = patternError(matches)
  if (error) throw new UnreadableFilter(error)
  return conditions
}

/**
 * Reads one alternative of an `or`. Operators with a list are not allowed, because commas separate the alternatives.
 */
function readPair(column: Column, pair: string): Condition {
  const [operator, text] = splitPair(pair)
  const allowed = operatorsOf(column).filter((name) => !LISTING.includes(name))
  if (!isOperator(operator) || !allowed.includes(operator)) {
    throw new UnreadableFilter({ reason: 'alternatives', operators: allowed })
  }
  return readCondition(column, operator, text)
}

/** Splits a text at commas; a backslash before a comma makes it part of the value. */
export function splitList(text: string): string[] {
  return text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ','))
}

/** Joins values to a text that `splitList` can split. */
export function writeList(values: readonly string[]): string {
  return values.map((value) => value.replaceAll(',', '\\,')).join()
}

/** Splits an alternative of an `or`, such as `startswith:A`. */
export function splitPair(pair: string): [operator: string, text: string] {
  const cut = pair.indexOf(':')
  return cut < 0 ? ['', pair] : [pair.slice(0, cut), pair.slice(cut + 1)]
}

/** Limits the number of values. Databases limit the size of a statement; callers get a clear error before that. */
function atMost(most: number, parts: string[]): string[] {
  if (parts.length > most) throw new UnreadableFilter({ reason: 'list', most })
  return parts
}
