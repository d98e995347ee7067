import { operatorsOf } from '#base/columns/operators'
import type { Column } from '#base/columns/column'
import { equalName } from '../list_filters.js'

/**
 * The condition of a filter on a column, as the form has it:
 * those of the API, and `empty`, `filled`, `title` (of what a reference refers to) and `period` (a word for days).
 */
export const CHOSEN_OPERATORS = [
  'eq',
  'ne',
  'in',
  'contains',
  'startswith',
  'endswith',
  'title',
  'period',
  'gte',
  'gt',
  'lte',
  'lt',
  'between',
  'empty',
  'filled',
] as const

export type ChosenOperator = (typeof CHOSEN_OPERATORS)[number]

/** The value that an operator takes */
export type ValueShape = 'one' | 'several' | 'text' | 'period' | 'two' | 'none'

const SHAPES: Partial<Record<ChosenOperator, ValueShape>> = {
  in: 'several',
  contains: 'text',
  startswith: 'text',
  endswith: 'text',
  title: 'text',
  period: 'period',
  between: 'two',
  empty: 'none',
  filled: 'none',
}

export function shapeOf(operator: ChosenOperator): ValueShape {
  return SHAPES[operator] ?? 'one'
}

const EQUALITY: ChosenOperator[] = ['eq', 'ne']
const QUANTITY: ChosenOperator[] = ['gte', 'lte', 'gt', 'lt', 'between', 'eq', 'ne']
const DAYS: ChosenOperator[] = ['period', 'gte', 'lte', 'gt', 'lt', 'between', 'eq', 'ne']

const OFFERED: Record<Column['kind'], ChosenOperator[]> = {
  text: ['contains', 'eq', 'ne', 'startswith', 'endswith'],
  uuid: EQUALITY,
  integer: QUANTITY,
  number: QUANTITY,
  boolean: ['eq'],
  date: DAYS,
  datetime: DAYS,
  time: ['gte', 'lte', 'gt', 'lt', 'between', 'eq', 'ne'],
  json: [],
  binary: [],
}

/**
 * The operators that a form offers for a column, the likeliest first. [L2]
 *
 * @param column.isChosen     its values are chosen out of a list
 * @param column.isReference  it refers to records of a model of the site
 * @param column.isTitled     these are found by title
 */
export function offeredOperators(
  column: Pick<Column, 'kind' | 'nullable' | 'element'>,
  {
    isChosen,
    isReference,
    isTitled,
  }: { isChosen: boolean; isReference: boolean; isTitled: boolean }
): ChosenOperator[] {
  const { kind, nullable, element } = column
  if (element) {
    const hasItems = operatorsOf(column).includes('contains')
    return [...(hasItems ? (['contains'] as const) : []), 'empty', 'filled']
  }
  const emptiness: ChosenOperator[] = nullable ? ['empty', 'filled'] : []
  const own = isReference
    ? [...EQUALITY, ...(isTitled ? (['title'] as const) : [])]
    : isChosen && kind !== 'boolean'
      ? ([...EQUALITY, 'in'] as const)
      : OFFERED[kind]
  /* A value that is never null has no other question. */
  return own.length === 0 && !nullable ? ['filled'] : [...own, ...emptiness]
}

/**
 * The filter of the address, as `[name, text]`, for what a form asks.
 *
 * @param values  texts of the value, as the API has them
 */
export function filterOf(
  column: Column,
  operator: ChosenOperator,
  values: readonly string[]
): [name: string, text: string] {
  const { apiName } = column
  const [value = ''] = values
  const nothing = column.element ? 'empty' : 'null'
  switch (operator) {
    case 'empty':
      return [`${apiName}__is`, nothing]
    case 'filled':
      return [`${apiName}__is_not`, nothing]
    case 'period':
      return [`${apiName}__between`, value]
    case 'between':
    case 'in':
      return [`${apiName}__${operator}`, values.map((one) => one.replaceAll(',', '\\,')).join()]
    case 'eq':
      return [equalName(column), value]
    default:
      return [`${apiName}__${operator}`, value]
  }
}
