import type { Dialect, Query } from '../database/dialect.js'
import { joined, whereSql, type Sql } from './sql.js'
import type { Column } from '../resource/column.js'

/**
 * Which rows are to be read, and in which order.
 */
export interface Selection {
  /** What holds for each of them */
  where: readonly Sql[]
  /** Narrows further, as only a query builder can be */
  scope?: (query: Query) => void
  /** The parts of `order by` */
  order?: readonly string[]
  offset?: number
  limit?: number
  /** Whether the rows are locked, where the database does that */
  lock?: boolean
}

/**
 * The statement that reads them.
 *
 * @param wanted  what stands between `select` and `from`
 */
export function selectStatement(
  wanted: string,
  table: string,
  { where, order = [], offset, limit, lock }: Selection,
  dialect: Dialect
): Sql {
  const condition = where.length === 0 ? null : joined(where, 'and')
  const bindings = condition ? [...condition.bindings] : []
  let sql = `select ${wanted} from ${dialect.quote(table)}`
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
 * Narrows a query builder to the same rows. The scope comes first and is closed off, so that an
 * alternative in it widens nothing but itself.
 */
export function applySelection(query: Query, table: string, selection: Selection): void {
  const { where, scope, order = [], offset, limit, lock } = selection
  scope?.(query)
  query.wrapExisting()
  for (const condition of where) whereSql(query, condition)
  for (const term of order) query.orderByRaw(term)
  if (limit !== undefined) query.limit(limit)
  if (offset) query.offset(offset)
  if (lock) query.forUpdate(table)
}

/**
 * What stands between `select` and `from` for the columns.
 */
export function selectList(columns: readonly Column[], table: string, dialect: Dialect): string {
  return columns.map((column) => dialect.select(table, column)).join(', ')
}
