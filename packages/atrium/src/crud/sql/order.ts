import type { Dialect } from '../database/dialect.js'
import type { Sort } from '../request/sort.js'

/**
 * The terms of `order by`.
 */
export function orderTerms(table: string, order: readonly Sort[], dialect: Dialect): string[] {
  return order.map(({ column, direction }) => dialect.order(table, column, direction))
}
