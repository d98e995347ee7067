import { filterValueMessage, listed, UnreadableFilter, ValueError } from '../errors.js'
import type { FilterValueError } from '../errors.js'
import type { Column } from './column.js'
import { readCondition, type Condition } from './condition.js'
import { isOperator, OPERATORS, operatorsOf, type Operator } from './operators.js'

/*
 * Parser of list filters: `price__gte` and its value. It is shared by the API, application code and the admin list, so
 * extensions such as prefixes of names or groups of filters belong here.
 */

/** The parts of a filter's name. */
export interface FilterName {
  name: string
  column: string
  operator: Operator
}

/* Paging parameters of every list, which a filter with the same name would hide. */
const RESERVED = ['offset', 'limit', 'page', 'itemsPerPage']

/**
 * Splits `price__gte` into column and operator. A column name can contain two underscores: only the part after the last
 * two can be an operator.
 *
 * @throws ValueError  for a reserved name or an unknown operator
 */
export function parseFilterName(name: string): FilterName {
  if (RESERVED.includes(name)) {
    throw new ValueError(
      `Invalid filter name '${name}': ${listed(RESERVED)} belong to the paging of the list. A column of that name is filtered by '${name}__eq'`
    )
  }
  const { column, operator } = splitFilterName(name)
  if (!isOperator(operator)) {
    throw new ValueError(
      `Invalid filter '${name}': there is no operator '${operator}'; there are ${listed(OPERATORS)}. A column called '${name}' has the filter '${name}__eq'`
    )
  }
  return { name, column, operator }
}

/** Returns the parts of a name. The second part is not necessarily a valid operator. */
export function splitFilterName(name: string): { column: string; operator: string } {
  const cut = name.lastIndexOf('__')
  if (cut <= 0) return { column: name, operator: 'eq' }
  return { column: name.slice(0, cut), operator: name.slice(cut + 2) }
}

/** Returns the name of a filter: `eq` is omitted, unless the column name contains two underscores. */
export function filterName({ apiName }: Column, operator: Operator | 'title' = 'eq'): string {
  return operator === 'eq' && !apiName.includes('__') ? apiName : `${apiName}__${operator}`
}

/** The meaning of a filter's name. */
export interface NamedFilter {
  column: Column
  /** `title` is only available in the admin list: it finds references by the title of the referenced record */
  operator: Operator | 'title'
  /** Reads values that are not of the column's type; returns null for other values */
  read?: (text: string) => Condition | FilterError | null
}

/**
 * The reason why a filter is invalid: its name is unknown, its operator or value does not fit the column, too many
 * referenced records have the title, or there are too many filters.
 */
export type FilterError =
  | { reason: 'unknown' | 'titles' | 'number' }
  | { reason: 'operator'; operators: readonly Operator[] }
  | { reason: 'value'; value: FilterValueError }

/** A filter of a URL, with either a condition or an error. */
export interface ReadFilter {
  /** Name such as `worldwide_gross__gte` */
  readonly name: string
  /** The value, as in the URL */
  readonly text: string
  /** Null for an unknown name */
  readonly column: Column | null
  readonly operator: NamedFilter['operator'] | null
  readonly condition: Condition | null
  readonly error: FilterError | null
}

/**
 * Reads the filters of a URL. An empty value is ignored, except by `exact`. [A17]
 *
 * @param named  returns the meaning of a name; undefined for an unknown filter
 * @param most   number of filters from which on further ones have an error
 */
export function readFilters(
  written: Iterable<readonly [name: string, text: string]>,
  named: (name: string) => NamedFilter | undefined,
  most: number = Infinity
): ReadFilter[] {
  const filters: ReadFilter[] = []
  for (const [name, text] of written) {
    const meaning = named(name)
    if (text === '' && meaning?.operator !== 'exact') continue
    const isTooMany = filters.length >= most
    const filter = { name, text, column: null, operator: null, condition: null, error: null }
    filters.push({
      ...filter,
      ...(isTooMany ? invalid({ reason: 'number' }) : read(text, meaning)),
    })
  }
  return filters
}

function read(text: string, named: NamedFilter | undefined): Partial<ReadFilter> {
  if (!named) return invalid({ reason: 'unknown' })
  const { column, operator } = named
  const special = named.read?.(text)
  if (special) {
    return {
      column,
      operator,
      ...('reason' in special ? invalid(special) : { condition: special }),
    }
  }
  const operators = operatorsOf(column)
  if (operator === 'title' || !operators.includes(operator)) {
    return { column, operator, ...invalid({ reason: 'operator', operators }) }
  }
  try {
    return { column, operator, condition: readCondition(column, operator, text) }
  } catch (error) {
    if (!(error instanceof UnreadableFilter)) throw error
    return { column, operator, ...invalid({ reason: 'value', value: error.error }) }
  }
}

function invalid(error: FilterError): Pick<ReadFilter, 'error'> {
  return { error }
}

/** Returns the conditions of the filters without an error, which are combined with "and". */
export function conditionsOf(filters: readonly ReadFilter[]): Condition[] {
  return filters.flatMap(({ condition }) => condition ?? [])
}

/** Returns the error message of a filter, in words that follow "it ...". */
export function filterErrorMessage(error: FilterError): string {
  switch (error.reason) {
    case 'value':
      return filterValueMessage(error.value)
    case 'operator':
      return `must have an operator of the column's type: ${listed(error.operators)}`
    default:
      return 'must be the name of a filter'
  }
}
