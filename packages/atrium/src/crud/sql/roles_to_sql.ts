import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { Query } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import type { Column } from '#base/columns/column'
import type { Key } from '#base/columns/key'
import type { Scope } from '../resource/permissions.js'
import type { Actor } from '../types.js'
import { applyScope, markGuarded, plainCondition } from './apply_scope.js'
import { whereSql, type Sql } from '#base/sql/sql'

/** A table to which scopes can be applied. */
interface Reachable {
  readonly model: LucidModel
  readonly table: string
  readonly key: Key
}

const NONE: Sql = { sql: '1 = 0', bindings: [] }

/**
 * Returns the condition that a row is in any of the scopes. A scope that does more than compare is added as a separate
 * subquery, because it can join tables.
 *
 * @param isAlone  true if the statement reads no other table
 */
export function reachSql(
  resource: Reachable,
  scopes: readonly Scope[],
  client: QueryClientContract,
  actor: Actor,
  isAlone: boolean
): Sql {
  if (scopes.length === 0) return NONE
  const { key, model, table } = resource
  const dialect = dialectOf(client)
  const names = key.columns.map((column) => dialect.nameOf(table, column))
  const row = names.length === 1 ? names[0] : `(${names.join(', ')})`
  const pieces = scopes.map((scope) => {
    const plain = isAlone ? plainCondition(model, scope, client, actor) : null
    if (plain) return plain
    const query = model.query({ client }) as Query
    applyScope(scope, query, actor)
    query.clearSelect().select(client.raw(names.join(', ')) as any)
    const { sql, bindings } = query.toSQL()
    return { sql: `${row} in (${sql})`, bindings: [...bindings] }
  })
  return {
    sql: pieces.map(({ sql }) => sql).join(' or '),
    bindings: pieces.flatMap(({ bindings }) => bindings),
  }
}

/**
 * Returns a scope for the rows that are in the first scope and in any of the other scopes.
 *
 * @param others  null: all rows
 */
export function narrowedBy(
  resource: Reachable,
  first: Scope | undefined,
  others: readonly Scope[] | null
): Scope | undefined {
  if (others === null) return first
  const narrowed: Scope = (query, actor) => {
    if (!first && others.length === 1) return applyScope(others[0], query, actor)
    const { client, model } = query
    const isAlone = !first || plainCondition(model, first, client, actor) !== null
    first?.(query, actor)
    query.wrapExisting()
    whereSql(query, reachSql(resource, others, client, actor, isAlone))
  }
  return markGuarded(narrowed)
}

/**
 * Replaces the table of a query with a derived table of the same name in which hidden values are null. Filters, sorts,
 * counts and responses then use the values that the actor sees.
 *
 * @param mixed  columns that are hidden on some rows, each with the scopes in which it is shown
 * @param rows   condition for the rows of the derived table
 */
export function fromMaskedRows(
  query: Query,
  resource: Reachable & { readonly columns: { readonly all: readonly Column[] } },
  mixed: ReadonlyMap<Column, readonly Scope[]>,
  { where, scope, actor }: { where: readonly Sql[]; scope: Scope | undefined; actor: Actor }
): void {
  const { columns, model, table } = resource
  const { client } = query
  const dialect = dialectOf(client)
  const rows = model.query({ client }) as Query
  const plain = scope && plainCondition(model, scope, client, actor)
  if (plain) whereSql(rows, plain)
  else scope?.(rows, actor)
  const isAlone = !scope || Boolean(plain)
  rows.wrapExisting()
  for (const condition of where) whereSql(rows, condition)
  rows.clearSelect()
  for (const column of columns.all) {
    const name = dialect.nameOf(table, column)
    const scopes = mixed.get(column)
    if (!scopes) rows.select(client.raw(name) as any)
    else {
      const { sql, bindings } = reachSql(resource, scopes, client, actor, isAlone)
      const shown = `case when ${sql} then ${name} end as ${dialect.quote(column.name)}`
      rows.select(client.raw(shown, bindings as any) as any)
    }
  }
  query.from(rows.as(table) as any)
}
