import { filterValueMessage, listed, UnreadableFilter, ValueError } from '../errors.js'
import type { FilterValueError } from '../errors.js'
import type { Column } from './column.js'
import { readCondition, type Condition } from './condition.js'
import { isOperator, OPERATORS, operatorsOf, type Operator } from './operators.js'

/*
 * Filters of lists: `price__gte` and its value, wherever they come from. The API, application code and the admin list all
 * read them here; prefixes of names, or groups of filters, would be added here for all of them.
 */

/** The parts of a filter's name. */
export interface FilterName {
  name: string
  column: string
  operator: Operator
}

/* The paging parameters of every list, which a filter of the same name would hide. */
const RESERVED = ['offset', 'limit', 'page', 'itemsPerPage']

/**
 * Splits `price__gte` into column and operator. A column's own name may contain two underscores: only
 * the part after the last ones can be an operator.
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

/** The parts of a name, the second of which may be no operator. */
export function splitFilterName(name: string): { column: string; operator: string } {
  const cut = name.lastIndexOf('__')
  if (cut <= 0) return { column: name, operator: 'eq' }
  return { column: name.slice(0, cut), operator: name.slice(cut + 2) }
}

/** The name of a filter: `eq` is left out, unless the column's own name has two underscores. */
export function filterName({ apiName }: Column, operator: Operator | 'title' = 'eq'): string {
  return operator === 'eq' && !apiName.includes('__') ? apiName : `${apiName}__${operator}`
}

/** What a filter's name means. */
export interface NamedFilter {
  column: Column
  /** `title` is the admin list's alone: it finds references by the title of what they refer to */
  operator: Operator | 'title'
  /** Reads values that are not of the column's type; returns null for any other */
  read?: (text: string) => Condition | FilterError | null
}

/**
 * The reason why a filter filters nothing: its name is none, its operator or value does not fit the column, too
 * many referenced records have the title, or there are too many filters.
 */
export type FilterError =
  | { reason: 'unknown' | 'titles' | 'number' }
  | { reason: 'operator'; operators: readonly Operator[] }
  | { reason: 'value'; value: FilterValueError }

/** A filter of an address: either a condition or an error. */
export interface ReadFilter {
  /** As in `worldwide_gross__gte` */
  readonly name: string
  /** The value, as in the address */
  readonly text: string
  /** Null for a name that is none */
  readonly column: Column | null
  readonly operator: NamedFilter['operator'] | null
  readonly condition: Condition | null
  readonly error: FilterError | null
}

/**
 * Reads the filters of an address. An empty value is a filter for `exact` only. [A17]
 *
 * @param named  returns what a name means; undefined if it is that of no filter
 * @param most   number of filters from which on they have an error
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

/** The conditions of the filters without an error, which are joined by "and". */
export function conditionsOf(filters: readonly ReadFilter[]): Condition[] {
  return filters.flatMap(({ condition }) => condition ?? [])
}

/** What is wrong with a filter, in words that complete "it ...". */
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
