import type { Dialect, Query } from '#base/database/dialect'
import { joined, whereSql, type Sql } from '#base/sql/sql'
import type { Column } from '#base/columns/column'

/** The rows to read, and their order. */
export interface Selection {
  /** Conditions that each row has to meet */
  where: readonly Sql[]
  /** Additional conditions that require a query builder */
  scope?: (query: Query) => void
  /** Joined tables with one row at most for each row, which only the order reads */
  joins?: readonly Sql[]
  /** All rows that the actor is allowed to see, if these are not all rows of the table */
  within?: Selection
  /** Terms of `order by` */
  order?: readonly string[]
  offset?: number
  limit?: number
  /** True to lock the rows, if the database supports it */
  lock?: boolean
}

/**
 * Returns the select statement.
 *
 * @param wanted  the select list
 */
export function selectStatement(
  wanted: string,
  table: string,
  { where, joins = [], order = [], offset, limit, lock }: Selection,
  dialect: Dialect
): Sql {
  const condition = where.length === 0 ? null : joined(where, 'and')
  const bindings = joins.flatMap((join) => join.bindings)
  if (condition) bindings.push(...condition.bindings)
  let sql = `select ${wanted} from ${dialect.quote(table)}`
  for (const join of joins) sql += ` ${join.sql}`
  if (condition) sql += ` where ${condition.sql}`
  if (order.length > 0) sql += ` order by ${order.join(', ')}`
  if (limit !== undefined) sql += ` limit ${dialect.limit(limit)}`
  if (offset) {
    sql += ' offset ?'
    bindings.push(offset)
  }
  return { sql: lock ? sql + dialect.lockClause : sql, bindings }
}

/**
 * Narrows a query builder to the same rows. The scope is added first and in parentheses, so that an `or` in it cannot
 * widen the other conditions.
 */
export function applySelection(query: Query, table: string, selection: Selection): void {
  const { where, scope, joins = [], order = [], offset, limit, lock } = selection
  scope?.(query)
  query.wrapExisting()
  for (const { sql, bindings } of joins) query.joinRaw(sql, bindings as any[])
  for (const condition of where) whereSql(query, condition)
  for (const term of order) query.orderByRaw(term)
  if (limit !== undefined) query.limit(limit)
  if (offset) query.offset(offset)
  if (lock) query.forUpdate(table)
}

/** Returns the select list of the columns. */
export function selectList(columns: readonly Column[], table: string, dialect: Dialect): string {
  return columns.map((column) => dialect.select(table, column)).join(', ')
}
