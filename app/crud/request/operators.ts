import type { ColumnKind } from '../resource/column_kind.js'

/** The operators of filters: `price__gte`. A name without an operator is `eq`. [A18] */
export const OPERATORS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'is',
  'is_not',
  'like',
  'ilike',
  'not_like',
  'not_ilike',
  'startswith',
  'endswith',
  'contains',
  'exact',
  'in',
  'not_in',
  'between',
  'or',
] as const

export type Operator = (typeof OPERATORS)[number]

export function isOperator(name: string): name is Operator {
  return (OPERATORS as readonly string[]).includes(name)
}

const EQUALITY: Operator[] = ['eq', 'ne', 'is', 'is_not', 'in', 'not_in', 'or']
const ORDERED: Operator[] = [...EQUALITY, 'gt', 'gte', 'lt', 'lte', 'between']
const TEXTUAL: Operator[] = [
  ...ORDERED,
  'like',
  'ilike',
  'not_like',
  'not_ilike',
  'startswith',
  'endswith',
  'contains',
  'exact',
]

/** The operators of each value type, the same on every database. */
export const OPERATORS_OF: Record<ColumnKind, Operator[]> = {
  text: TEXTUAL,
  uuid: EQUALITY,
  integer: ORDERED,
  number: ORDERED,
  boolean: EQUALITY,
  date: ORDERED,
  datetime: ORDERED,
  time: ORDERED,
  json: ['is', 'is_not'],
  binary: ['is', 'is_not'],
}
