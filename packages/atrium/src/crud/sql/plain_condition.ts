import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { Query } from '#base/database/dialect'
import type { Scope } from '../resource/permissions.js'
import type { Actor } from '../types.js'
import { applyScope } from './apply_scope.js'
import type { Sql } from '#base/sql/sql'

const ALL: Sql = { sql: '1 = 1', bindings: [] }

/** Scopes known to do more than compare; they are not analyzed again. */
const NOT_PLAIN = new WeakSet<Scope>()

/**
 * Returns the condition of a scope that only compares, in parentheses. It can be used in any statement that reads only
 * this table, without a query builder or a subquery.
 *
 * @returns null if the scope joins tables, adds anything other than `where`, or has values that drivers do not accept
 *   unchanged
 */
export function plainCondition(
  model: LucidModel,
  scope: Scope,
  client: QueryClientContract,
  actor: Actor
): Sql | null {
  if (NOT_PLAIN.has(scope)) return null
  const condition = builtCondition(model, scope, client, actor)
  if (condition?.bindings.every(isPlain)) return condition
  NOT_PLAIN.add(scope)
  return null
}

/**
 * Returns the condition of a scope that only compares, with values of any type.
 *
 * @returns null if the scope joins tables, or adds anything other than `where`
 */
export function builtCondition(
  model: LucidModel,
  scope: Scope,
  client: QueryClientContract,
  actor: Actor
): Sql | null {
  const start = (model.query({ client }) as Query).toSQL().sql
  const query = model.query({ client }) as Query
  applyScope(scope, query, actor)
  const { sql, bindings } = query.toSQL()
  return conditionAfter(start, { sql, bindings: [...bindings] })
}

/**
 * Returns the condition that a scope has added to a statement; null for anything other than `where`.
 *
 * @param start  the statement without the scope
 */
function conditionAfter(start: string, { sql, bindings }: Sql): Sql | null {
  if (sql === start) return ALL
  const prefix = `${start} where `
  if (!sql.startsWith(prefix)) return null
  const condition = sql.slice(prefix.length)
  /* Null for a question mark that is not a placeholder, but an operator of PostgreSQL or part of a text. */
  if (condition.split('?').length - 1 !== bindings.length || condition.includes('\\?')) return null
  return { sql: `(${condition})`, bindings }
}

/** True for values that every driver accepts unchanged; Knex converts others, such as booleans and dates. */
function isPlain(value: unknown): boolean {
  return value === null || ['string', 'number', 'bigint'].includes(typeof value)
}
