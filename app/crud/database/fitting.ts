import type { Column } from '../resource/column.js'
import { fromQuery } from '../values/from_query.js'
import type { Comparison } from './dialect.js'
import type { Sql } from '../sql/sql.js'

/**
 * Whether the value can be one of the column's. Own code may ask for the id `abc`: SQLite finds nothing
 * then, PostgreSQL fails, and MySQL finds the id 0.
 */
export function fits(column: Column, value: unknown): boolean {
  if (typeof value === 'number' && column.kind === 'integer') return Number.isInteger(value)
  return typeof value !== 'string' || fromQuery(column, value) !== null
}

/**
 * What a comparison with a value comes to that the column can't have: it is none of them.
 */
export function unfitting(name: string, operator: Comparison): Sql {
  return { sql: operator === '<>' ? `${name} is not null` : '1 = 0', bindings: [] }
}
