import { listed, shown, ValueError } from '#base/errors'
import { isOperator, OPERATORS, type Operator } from '#base/columns/operators'
import type { FilterMap } from '../types.js'

/** The parts of a filter's name. */
export interface FilterName {
  name: string
  column: string
  operator: Operator
}

/* The paging parameters of every list, which a filter of the same name would hide. */
const RESERVED = ['offset', 'limit', 'page', 'itemsPerPage']

/**
 * The filters of a model's list: names (`category`, `price__gte`) and their default values. A plain map
 * does the same; the object reports errors earlier, and where it was created. [S11]
 *
 * @example
 * ```ts
 * new FilterConfig({ category: null, price__gte: 0 })
 * ```
 */
export class FilterConfig {
  readonly filters: Readonly<FilterMap>

  /**
   * @param filters  filter name -> default value for an absent parameter; null: none
   * @throws ValueError  for an invalid name or default value
   */
  constructor(filters: FilterMap) {
    for (const [name, value] of Object.entries(filters)) {
      parseFilterName(name)
      this.validateDefault(name, value)
    }
    this.filters = Object.freeze({ ...filters })
  }

  /**
   * Checks a default value; a subclass may allow other values or forbid more. [S12]
   *
   * @throws ValueError  for a value that is not allowed
   */
  protected validateDefault(name: string, value: unknown): void {
    const allowed =
      value === null ||
      typeof value === 'string' ||
      typeof value === 'boolean' ||
      (typeof value === 'number' && Number.isFinite(value))
    if (!allowed) {
      throw new ValueError(
        `Invalid default value of the filter '${name}': it is ${describe(value)}, ${shown(value)}, and must be null, a string, a number or a boolean`
      )
    }
  }
}

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
  const cut = name.lastIndexOf('__')
  if (cut <= 0) return { name, column: name, operator: 'eq' }

  const operator = name.slice(cut + 2)
  if (!isOperator(operator)) {
    throw new ValueError(
      `Invalid filter '${name}': there is no operator '${operator}'; there are ${listed(OPERATORS)}. A column called '${name}' has the filter '${name}__eq'`
    )
  }
  return { name, column: name.slice(0, cut), operator }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'number' ? String(value) : `a ${typeof value}`
}
