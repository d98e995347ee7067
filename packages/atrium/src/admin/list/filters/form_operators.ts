import { splitList, writeList, splitPair } from '#base/columns/condition'
import type { Column } from '#base/columns/column'
import { filterName, type ReadFilter } from '#base/columns/filter'
import { operatorsOf } from '#base/columns/operators'
import { isPeriod } from '../list_filters.js'

/**
 * Operators of the filter form: those of the API, and `empty`, `filled`, `title` (of a referenced record), `period` (a
 * named period of days) and `in` for ticked values.
 */
const CHOSEN_OPERATORS = [
  ...['in', 'contains', 'eq', 'ne', 'startswith', 'endswith', 'title', 'period'],
  ...['gte', 'gt', 'lte', 'lt', 'between', 'empty', 'filled'],
  ...['like', 'ilike', 'not_like', 'not_ilike'],
] as const

type PlainOperator = (typeof CHOSEN_OPERATORS)[number]

/** An operator of the form, or its negation */
export type ChosenOperator = PlainOperator | `not.${PlainOperator}`

/** Kind of value that an operator expects */
export type ValueShape = 'one' | 'several' | 'text' | 'period' | 'two' | 'none'

const SHAPES: Partial<Record<PlainOperator, ValueShape>> = {
  in: 'several',
  contains: 'text',
  startswith: 'text',
  endswith: 'text',
  like: 'text',
  ilike: 'text',
  not_like: 'text',
  not_ilike: 'text',
  title: 'text',
  period: 'period',
  between: 'two',
  empty: 'none',
  filled: 'none',
}

/** Splits an operator of the form: `not.contains` is `contains`, negated. */
export function plainOperator(operator: ChosenOperator): {
  plain: PlainOperator
  isNegated: boolean
} {
  const isNegated = operator.startsWith('not.')
  return { plain: (isNegated ? operator.slice(4) : operator) as PlainOperator, isNegated }
}

export function shapeOf(operator: ChosenOperator): ValueShape {
  return SHAPES[plainOperator(operator).plain] ?? 'one'
}

/* Each operator that has no opposite in the form is followed by its negation. */
const TEXTS: ChosenOperator[] = [
  ...(['contains', 'not.contains', 'eq', 'ne', 'startswith', 'not.startswith'] as const),
  ...(['endswith', 'not.endswith'] as const),
]
const QUANTITY: ChosenOperator[] = [
  ...(['gte', 'lte', 'gt', 'lt', 'between', 'not.between', 'eq', 'ne'] as const),
]
const VALUES: ChosenOperator[] = ['in', 'not.in']

const OFFERED: Record<Column['kind'], ChosenOperator[]> = {
  text: TEXTS,
  uuid: ['eq', 'ne'],
  integer: QUANTITY,
  number: QUANTITY,
  boolean: ['eq'],
  date: ['period', 'not.period', ...QUANTITY],
  datetime: ['period', 'not.period', ...QUANTITY],
  time: QUANTITY,
  json: [],
  binary: [],
}

/** The properties of a column that determine its operators in the filter form. */
interface ColumnFacts {
  /** True if the values come from a list */
  isChosen: boolean
  /** True if the column refers to records of a model of the site */
  isReference: boolean
  /** True if the referenced records can be found by title */
  isTitled: boolean
  /** True if the column is a facet of the list */
  isFacet: boolean
}

/** Returns the operators that the form offers for a column, the most useful first. */
export function offeredOperators(
  column: Pick<Column, 'kind' | 'nullable' | 'element'>,
  { isChosen, isReference, isTitled, isFacet }: ColumnFacts
): ChosenOperator[] {
  const { kind, nullable, element } = column
  if (element) {
    const hasItems = operatorsOf(column).includes('contains')
    return [...(hasItems ? (['contains', 'not.contains'] as const) : []), 'empty', 'filled']
  }
  const emptiness: ChosenOperator[] = nullable ? ['empty', 'filled'] : []
  const isTicked = isReference || (isChosen && kind !== 'boolean')
  const titled: ChosenOperator[] = isTitled ? ['title', 'not.title'] : []
  const own = isTicked
    ? [...VALUES, ...titled]
    : [...(isFacet && kind !== 'boolean' ? VALUES : []), ...OFFERED[kind]]
  /* At least one operator is needed, even for a column that is never null. */
  return own.length === 0 && !nullable ? ['filled'] : [...own, ...emptiness]
}

/**
 * Returns the operator that a submitted form or a filter names, even if it is not among those offered.
 *
 * @returns undefined if the column cannot have it
 */
export function acceptedOperator(
  column: Column,
  name: string | undefined,
  offered: readonly ChosenOperator[]
): ChosenOperator | undefined {
  const operator = [...CHOSEN_OPERATORS, ...NEGATED].find((one) => one === name)
  if (operator === undefined || offered.includes(operator)) return operator
  const { plain } = plainOperator(operator)
  const ofApi = { empty: 'is', filled: 'is_not', period: 'between' }[plain as string] ?? plain
  return (operatorsOf(column) as string[]).includes(ofApi) && plain !== 'period'
    ? operator
    : undefined
}

const NEGATED = CHOSEN_OPERATORS.map((one) => `not.${one}` as const)

/**
 * Returns the filter for the URL, as `[name, text]`.
 *
 * @param values  values in the format of the API
 */
export function filterOf(
  column: Column,
  operator: ChosenOperator,
  values: readonly FilterValue[]
): [name: string, text: string] {
  const { plain, isNegated } = plainOperator(operator)
  const [name, text] = plainFilter(column, plain, values)
  return [isNegated ? `not.${name}` : name, text]
}

function plainFilter(
  column: Column,
  operator: PlainOperator,
  values: readonly FilterValue[]
): [name: string, text: string] {
  const value = values[0] ?? ''
  const nothing = column.element ? 'empty' : 'null'
  switch (operator) {
    case 'empty':
      return [filterName(column, 'is'), nothing]
    case 'filled':
      return [filterName(column, 'is_not'), nothing]
    case 'period':
      return [filterName(column, 'between'), value]
    case 'between':
      return [filterName(column, operator), writeList(values.map(String))]
    case 'in':
      return filterByValues(column, values)
    default:
      return [filterName(column, operator), value]
  }
}

/* Operators whose negation is another operator of the form */
const OPPOSITE_OPERATORS: Partial<Record<PlainOperator, ChosenOperator>> = {
  eq: 'ne',
  ne: 'eq',
  empty: 'filled',
  filled: 'empty',
  like: 'not_like',
  ilike: 'not_ilike',
}

/** Returns operator and values with which the form shows a filter; null for a filter that it cannot express. */
export function formOf(
  filter: ReadFilter,
  offered: readonly ChosenOperator[]
): { operator: ChosenOperator; values: readonly FilterValue[] } | null {
  const found = plainFormOf(filter, offered.includes('in'))
  if (!found || !filter.isNegated) return found
  const { plain, isNegated } = plainOperator(found.operator)
  const operator = isNegated ? plain : (OPPOSITE_OPERATORS[plain] ?? (`not.${plain}` as const))
  return { ...found, operator }
}

function plainFormOf(filter: ReadFilter, isTicked: boolean) {
  const { operator, text, column } = filter
  const made = (one: ChosenOperator, values: readonly FilterValue[] = [text]) => ({
    operator: one,
    values,
  })
  switch (operator) {
    case 'is':
    case 'is_not': {
      const isEmptiness = text === (column!.element ? 'empty' : 'null')
      return isEmptiness ? made(operator === 'is' ? 'empty' : 'filled', []) : null
    }
    case 'eq':
    case 'exact':
      return made(isTicked ? 'in' : 'eq')
    case 'ne':
      return made(isTicked ? 'not.in' : 'ne')
    case 'not_in':
      return made('not.in', splitList(text))
    case 'in':
    case 'or': {
      const values = valuesOfFilter(filter)
      return values && made('in', values)
    }
    case 'between':
      return isPeriod(text) ? made('period') : made('between', splitList(text))
    default:
      return operator === null || operator === 'custom' ? null : made(operator)
  }
}

/* Filters by one or several values of a column, such as the ticked values of a facet. */

/** A value as a text of the API; null for an empty cell */
export type FilterValue = string | null

/**
 * Returns name and text of the filter that matches any of the values. The empty text needs an operator, as an empty
 * filter would be ignored.
 */
export function filterByValues(
  column: Column,
  values: readonly FilterValue[]
): [name: string, text: string] {
  const texts = values.filter((value) => value !== null)
  if (texts.length < values.length) {
    if (texts.length === 0) return [filterName(column, 'is'), 'null']
    return [filterName(column, 'or'), writeList([...texts.map((text) => `eq:${text}`), 'is:null'])]
  }
  const [only] = texts
  if (texts.length > 1) return [filterName(column, 'in'), writeList(texts)]
  return only === '' ? [filterName(column, 'or'), 'eq:'] : [filterName(column, 'eq'), only]
}

/** Returns the values that a filter by values matches, or does not match if it is negated; null for other filters. */
export function valuesOfFilter({ operator, text, error }: ReadFilter): FilterValue[] | null {
  if (error) return null
  switch (operator) {
    case 'eq':
    case 'exact':
      return [text]
    case 'in':
      return splitList(text)
    case 'is':
      return text === 'null' ? [null] : null
    case 'or': {
      const values = splitList(text).map((pair) => {
        const [name, value] = splitPair(pair)
        if (name === 'eq') return value
        return name === 'is' && value === 'null' ? null : undefined
      })
      return values.includes(undefined) ? null : (values as FilterValue[])
    }
    default:
      return null
  }
}
