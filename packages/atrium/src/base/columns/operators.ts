import type { Column } from './column.js'
import type { ColumnKind } from './column_kind.js'

/**
 * Operators of filters, as in `price__gte`. The default operator is `eq`. `condition.ts` reads their values, and
 * `crud/sql/condition_sql.ts` writes their SQL.
 */
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

const OPERATORS_OF: Record<ColumnKind, Operator[]> = {
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

/**
 * Returns the operators of a column's type, which are the same on every database. An array whose items can be compared
 * has `contains`.
 */
export function operatorsOf({ kind, element }: Pick<Column, 'kind' | 'element'>): Operator[] {
  const isCompared = element && element.kind !== 'json' && element.kind !== 'binary'
  return isCompared ? ['is', 'is_not', 'contains', 'or'] : OPERATORS_OF[kind]
}
