import type { Dialect } from '#base/database/dialect'
import { tableOf, type Sort } from '#base/columns/sort'

/** Returns the terms of `order by`. */
export function orderTerms(table: string, order: readonly Sort[], dialect: Dialect): string[] {
  return order.map(({ column, direction }) =>
    dialect.order(tableOf(column, table), column, direction)
  )
}
