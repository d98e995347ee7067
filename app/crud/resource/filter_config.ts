import { shown } from '../checks.js'
import { listed, ValueError } from '../errors.js'
import { isOperator, OPERATORS, type Operator } from '../request/operators.js'
import type { FilterMap } from '../types.js'

/**
 * A filter's name, taken apart.
 */
export interface FilterName {
  name: string
  column: string
  operator: Operator
}

/* They carry the paging of every list, so a filter of that name could never be reached. */
const RESERVED = ['offset', 'limit', 'page', 'itemsPerPage']

/**
 * The filters of a model's list: names (`category`, `price__gte`) and their default values. A plain
 * map does the same; the object says sooner, and where it was made, what is wrong. [S11]
 *
 * @example
 * ```ts
 * new FilterConfig({ category: null, price__gte: 0 })
 * ```
 */
export class FilterConfig {
  readonly filters: Readonly<FilterMap>

  /**
   * @param filters  filter name -> value that applies when the parameter is absent; null: none
   * @throws ValueError  for a name or a default value that can't be
   */
  constructor(filters: FilterMap) {
    for (const [name, value] of Object.entries(filters)) {
      parseFilterName(name)
      this.validateDefault(name, value)
    }
    this.filters = Object.freeze({ ...filters })
  }

  /**
   * Says which default values are allowed; a subclass may allow others or forbid more. [S12]
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
 * Takes `price__gte` apart. A column's own name may hold two underscores: only what follows the last
 * ones can be an operator.
 *
 * @throws ValueError  for a reserved name or an unknown operator
 */
export function parseFilterName(name: string): FilterName {
  if (RESERVED.includes(name)) {
    throw new ValueError(
      `Invalid filter name '${name}': ${listed(RESERVED)} belong to the paging of the list`
    )
  }
  const cut = name.lastIndexOf('__')
  if (cut <= 0) return { name, column: name, operator: 'eq' }

  const operator = name.slice(cut + 2)
  if (!isOperator(operator)) {
    throw new ValueError(
      `Invalid filter '${name}': there is no operator '${operator}'; there are ${listed(OPERATORS)}`
    )
  }
  return { name, column: name.slice(0, cut), operator }
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'number' ? String(value) : `a ${typeof value}`
}
