import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { RelationQueryBuilderContract } from '@adonisjs/lucid/types/relations'
import type { Dialect, Query, StoredColumn } from '#base/database/dialect'
import type { Column } from '#base/columns/column'
import type { Sql } from '#base/sql/sql'

/** Alias of the column that numbers the rows of each group, starting from 1 */
export const RANK = 'crud_rank'

/** Alias of the column that identifies the group */
export const GROUP = 'crud_group'

/** The groups of the rows, and the order of the rows in each group. */
interface Ranking {
  /** Table of the rows; the ranked rows have the same name */
  table: string
  group: { table: string; column: StoredColumn }
  /** Terms of `order by`, after those of the query itself */
  order: readonly string[]
  /** Further columns, each with its alias */
  columns?: readonly string[]
}

/**
 * Returns a query for the rows of a relation, as rows of a table with their number within their group. The order and
 * the `groupLimit` of the given query apply to each group.
 */
export function ranked(
  rows: Query,
  client: QueryClientContract,
  dialect: Dialect,
  { columns = [], group, order, table }: Ranking
): Query {
  const { limit, orderBy } = groupLimitOf(rows as unknown as RelationQueryBuilderContract<any, any>)
  if (limit !== undefined) {
    rows.orderBy(orderBy?.column ?? rows.model.primaryKey, orderBy?.direction ?? 'desc')
  }
  const inner = (rows as any).toKnex()
  const own = orderOf(inner)
  const name = dialect.nameOf(group.table, group.column)
  /* Texts that the database compares as equal can belong to different groups. */
  const by =
    group.column.kind === 'text' ? dialect.groupOf(group.table, group.column as Column) : name
  const parts = [own.sql, ...order].filter((part) => part !== '').join(', ')
  const list = [
    `${dialect.quote(table)}.*`,
    `${name} as ${dialect.quote(GROUP)}`,
    `row_number() over (partition by ${by} order by ${parts}) as ${dialect.quote(RANK)}`,
    ...columns,
  ]
  inner.clearSelect().select((client as any).knexRawQuery(list.join(', '), own.bindings))
  const query = client.modelQuery(rows.model).from(inner.as(table)) as unknown as Query
  return limit === undefined ? query : query.where(RANK, '<=', limit)
}

/**
 * Returns the limit and the order that `groupLimit` and `groupOrderBy` have set. Lucid 22.4.2 applies them only in its
 * own preloader, and does not export their type.
 */
function groupLimitOf(query: RelationQueryBuilderContract<any, any>) {
  // @ts-expect-error: it is not in the type
  return query.groupConstraints as {
    limit?: number
    orderBy?: { column: string; direction?: 'asc' | 'desc' }
  }
}

/** Returns the `order by` terms of a Knex query; none if they are not at the end of the SQL. */
function orderOf(query: any): Sql {
  const endless = query.clone().clear('limit').clear('offset')
  const whole = endless.clone().toSQL()
  const bare = endless.clearOrder().toSQL()
  const start = `${bare.sql} order by `
  if (!whole.sql.startsWith(start)) return { sql: '', bindings: [] }
  return {
    sql: whole.sql.slice(start.length),
    bindings: whole.bindings.slice(bare.bindings.length),
  }
}
