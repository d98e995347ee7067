import type { Dialect } from '#base/database/dialect'
import { joined, type Sql, type ExtraColumn } from '#base/sql/sql'
import { tableOf, type Sort } from '#base/columns/sort'

/** The position of a row in an order: one stored value for each column of the order. */
export type Position = readonly unknown[]

const NOTHING: Sql = { sql: '1 = 0', bindings: [] }

/** Returns the select expressions for the position of a row. */
export function positionParts(
  order: readonly Sort[],
  table: string,
  dialect: Dialect
): ExtraColumn[] {
  return order.map(({ column }, index) => {
    const as = aliasOf(index)
    return { as, sql: dialect.stored(tableOf(column, table), column, as) }
  })
}

/** Returns the position of a row that was read with the expressions of `positionParts`. */
export function positionOf(extras: Record<string, unknown>, order: readonly Sort[]): Position {
  return order.map((_, index) => extras[aliasOf(index)])
}

/**
 * Returns the conditions for the rows after a position, to be applied one after another. Each begins with a bound on
 * the first column, so that an index on it finds the start. There are two conditions if rows with null follow rows with
 * a value, because a single condition could use no index.
 */
export function rangesAfter(
  order: readonly Sort[],
  position: Position,
  table: string,
  dialect: Dialect
): Sql[] {
  const [{ column, direction }] = order
  const name = dialect.nameOf(tableOf(column, table), column)
  const isNullLast = direction === 'desc' && column.nullable && position[0] !== null
  const after = comesAfter(order, position, table, dialect, isNullLast)
  return isNullLast ? [after, isNull(name)] : [after]
}

/**
 * Returns the condition for the rows after a position. Null sorts first, and last in descending order.
 *
 * @param hasValue  true to select only rows with a value in the first column
 */
function comesAfter(
  [first, ...rest]: readonly Sort[],
  [value, ...values]: Position,
  table: string,
  dialect: Dialect,
  hasValue: boolean = false
): Sql {
  if (!first) return NOTHING
  const { column, direction } = first
  const from = tableOf(column, table)
  const name = dialect.nameOf(from, column)
  const tied = comesAfter(rest, values, table, dialect)
  if (value === null) {
    return direction === 'asc'
      ? joined([{ sql: `${name} is not null`, bindings: [] }, tied], 'or')
      : joined([isNull(name), tied], 'and')
  }

  const [least, beyond] = direction === 'asc' ? (['>=', '>'] as const) : (['<=', '<'] as const)
  const mayBeNull = direction === 'desc' && column.nullable && !hasValue
  const within = dialect.compareStored(from, column, least, value)
  const past = dialect.compareStored(from, column, beyond, value)
  const none = mayBeNull ? [isNull(name)] : []
  return joined([joined([within, ...none], 'or'), joined([past, ...none, tied], 'or')], 'and')
}

function isNull(name: string): Sql {
  return { sql: `${name} is null`, bindings: [] }
}

function aliasOf(index: number): string {
  return `crud_position_${index}`
}
