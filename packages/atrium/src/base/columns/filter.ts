import { filterValueMessage, listed, UnreadableFilter, ValueError } from '../errors.js'
import type { FilterValueError } from '../errors.js'
import type { Column } from './column.js'
import { negated, readCondition, type Condition } from './condition.js'
import { isOperator, OPERATORS, operatorsOf, type Operator } from './operators.js'

/*
 * Parser of list filters: `price__gte` and its value. It is shared by the API, application code and the admin list, so
 * extensions such as prefixes of names or groups of filters belong here.
 */

/** The parts of a filter's name. */
export interface FilterName {
  name: string
  column: string
  /** One of `OPERATORS`, or a custom operator of the model */
  operator: string
}

/* Paging parameters of every list, which a filter with the same name would hide. */
const RESERVED = ['offset', 'limit', 'page', 'itemsPerPage']

/**
 * Splits `price__gte` into column and operator. A column name can contain two underscores: only the part after the last
 * two can be an operator.
 *
 * @param custom  names of the application's own operators
 * @throws ValueError  for a reserved name or an unknown operator
 */
export function parseFilterName(name: string, custom: readonly string[] = []): FilterName {
  if (RESERVED.includes(name)) {
    throw new ValueError(
      `Invalid filter name '${name}': ${listed(RESERVED)} belong to the paging of the list. A column of that name is filtered by '${name}__eq'`
    )
  }
  const { column, operator } = splitFilterName(name)
  if (!isOperator(operator) && !custom.includes(operator)) {
    throw new ValueError(
      `Invalid filter '${name}': there is no operator '${operator}'; there are ${listed([...OPERATORS, ...custom])}. A column called '${name}' has the filter '${name}__eq'`
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

/* Limits of a request: each condition is evaluated for every row. */
export const MOST_CONDITIONS = 50
export const MOST_GROUPS = 10

/** The parts of a filter's name in a request: its group of alternatives and its negation. */
export interface FilterPlace {
  /** The name without prefixes: `price__gte` */
  name: string
  /** The number in `any.1.price__gte`; null for a filter outside groups */
  group: number | null
  /** True for `not.price__gte` and `any.1.not.price__gte` */
  isNegated: boolean
}

/**
 * Splits `any.1.not.price__gte` into its parts. A name that is itself known has no prefixes, so that a column or a
 * relation can be called `not`.
 */
export function filterPlace(name: string, isKnown: (name: string) => boolean): FilterPlace {
  if (isKnown(name)) return { name, group: null, isNegated: false }
  const [, number, inGroup] = /^any\.(\d{1,9})\.(.*)$/s.exec(name) ?? []
  const group = number === undefined ? null : Number(number)
  const rest = inGroup ?? name
  const isNegated = rest.startsWith('not.') && !isKnown(rest)
  return { name: isNegated ? rest.slice(4) : rest, group, isNegated }
}

/** Returns the name of a filter with its prefixes. */
export function placedName({ name, group, isNegated }: FilterPlace): string {
  return (group === null ? '' : `any.${group}.`) + (isNegated ? 'not.' : '') + name
}

/** The meaning of a filter's name. */
export interface NamedFilter {
  column: Column
  /**
   * `title` is only available in the admin list: it finds references by the title of the referenced record. `custom` is
   * any operator of the application
   */
  operator: Operator | 'title' | 'custom'
  /** Reads values that are not of the column's type; returns null for values to be read by the column's type */
  read?: (text: string, isNegated?: boolean) => Condition | FilterError | null
  /** True if `read` negates the condition itself */
  readsNegation?: boolean
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
  /** Name such as `worldwide_gross__gte` or `any.1.not.worldwide_gross__gte` */
  readonly name: string
  /** Number of its group, of which one condition must be met; null outside groups */
  readonly group: number | null
  /** True if the records that do not meet the condition are requested; `condition` is the negated one */
  readonly isNegated: boolean
  /** The value, as in the URL */
  readonly text: string
  /** Null for an unknown name */
  readonly column: Column | null
  readonly operator: NamedFilter['operator'] | null
  readonly condition: Condition | null
  readonly error: FilterError | null
}

/**
 * Reads the filters of a URL. An empty value is ignored, except by `exact`. If there are too many conditions or groups,
 * each filter with a known name has an error.
 *
 * @param named  returns the meaning of a name without prefixes; undefined for an unknown filter
 */
export function readFilters(
  written: Iterable<readonly [name: string, text: string]>,
  named: (name: string) => NamedFilter | undefined
): ReadFilter[] {
  const sent = [...written].flatMap(([name, text]) => {
    const place = filterPlace(name, (one) => named(one) !== undefined)
    const meaning = named(place.name)
    return text === '' && meaning?.operator !== 'exact' ? [] : [{ name, text, place, meaning }]
  })
  const groups = new Set(sent.map(({ place }) => place.group))
  groups.delete(null)
  /*
   * An unknown name is always reported as unknown, because it may be the name of a column that the viewer is not
   * allowed to see.
   */
  const isTooMany = sent.length > MOST_CONDITIONS || groups.size > MOST_GROUPS
  return sent.map(({ name, text, place: { group, isNegated }, meaning }) => {
    const filter = { name, text, group, isNegated, column: null, operator: null }
    const found =
      isTooMany && meaning ? invalid({ reason: 'number' }) : read(text, meaning, isNegated)
    return { ...filter, condition: null, error: null, ...found }
  })
}

function read(
  text: string,
  named: NamedFilter | undefined,
  isNegated: boolean
): Partial<ReadFilter> {
  if (!named) return invalid({ reason: 'unknown' })
  const { column, operator } = named
  const special = named.read?.(text, isNegated)
  if (special) {
    if ('reason' in special) return { column, operator, ...invalid(special) }
    const isPlain = !isNegated || named.readsNegation
    return { column, operator, condition: isPlain ? special : negated(column, special) }
  }
  const operators = operatorsOf(column)
  if (operator === 'title' || operator === 'custom' || !operators.includes(operator)) {
    return { column, operator, ...invalid({ reason: 'operator', operators }) }
  }
  try {
    return { column, operator, condition: readPlaced(column, operator, text, isNegated) }
  } catch (error) {
    if (!(error instanceof UnreadableFilter)) throw error
    return { column, operator, ...invalid({ reason: 'value', value: error.error }) }
  }
}

/**
 * Reads a condition or its negation. `is` and `is_not` are each other's negation, so that one of them matches a row
 * with null.
 *
 * @throws UnreadableFilter
 */
export function readPlaced(
  column: Column,
  operator: Operator,
  given: string | string[],
  isNegated: boolean
): Condition {
  if (!isNegated) return readCondition(column, operator, given)
  if (operator === 'is') return readCondition(column, 'is_not', given)
  if (operator === 'is_not') return readCondition(column, 'is', given)
  return negated(column, readCondition(column, operator, given))
}

function invalid(error: FilterError): Pick<ReadFilter, 'error'> {
  return { error }
}

/** Returns the conditions of the filters without an error. All of them apply; a group is one condition. */
export function conditionsOf(
  filters: ReadonlyArray<Pick<ReadFilter, 'condition' | 'group'>>
): Condition[] {
  const alternatives = new Map<number, Condition[]>()
  const conditions: Condition[] = []
  for (const { condition, group } of filters) {
    if (!condition) continue
    if (group === null) conditions.push(condition)
    else if (alternatives.has(group)) alternatives.get(group)!.push(condition)
    else {
      const first = [condition]
      alternatives.set(group, first)
      conditions.push({ type: 'or', conditions: first })
    }
  }
  return conditions
}

/** Returns the error message of a filter, in words that follow "it ...". */
export function filterErrorMessage(error: FilterError): string {
  switch (error.reason) {
    case 'value':
      return filterValueMessage(error.value)
    case 'operator':
      return `must have an operator of the column's type: ${listed(error.operators)}`
    case 'number':
      return `must be one of at most ${MOST_CONDITIONS} conditions in at most ${MOST_GROUPS} groups`
    default:
      return 'must be the name of a filter'
  }
}
