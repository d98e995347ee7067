import { parseFilterName } from '#base/columns/filter'
import { shown, ValueError } from '#base/errors'
import type { FilterMap } from '../types.js'

/**
 * Filters of a model's list: names (`category`, `price__gte`) and their default values. A plain object is equivalent,
 * but this class reports errors earlier, at the place where it is created.
 *
 * @example
 * ```ts
 * new FilterConfig({ category: null, price__gte: 0 })
 * ```
 */
export class FilterConfig {
  readonly filters: Readonly<FilterMap>

  /**
   * @param filters  filter name -> default value for an absent parameter, null: no default; or a function that computes
   *   the filter for each request
   * @param operators  names of the model's custom operators
   * @throws ValueError  for an invalid name or default value
   */
  constructor(filters: FilterMap, { operators = [] }: { operators?: readonly string[] } = {}) {
    for (const [name, value] of Object.entries(filters)) {
      parseFilterName(name, operators)
      if (typeof value !== 'function') this.validateDefault(name, value)
    }
    this.filters = Object.freeze({ ...filters })
  }

  /**
   * Checks a default value; a subclass can allow other values or forbid more.
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

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'number' ? String(value) : `a ${typeof value}`
}
