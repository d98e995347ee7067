import type { Column } from '../columns/column.js'
import { fromQuery } from '../values/from_query.js'
import type { Comparison } from './dialect.js'
import type { Sql } from '../sql/sql.js'

/**
 * True if the column can contain the value. Application code can search for the id `abc`: SQLite finds nothing,
 * PostgreSQL fails, and MySQL finds the id 0.
 */
export function isPossibleValue(column: Column, value: unknown): boolean {
  if (typeof value === 'number' && column.kind === 'integer') return Number.isInteger(value)
  return typeof value !== 'string' || fromQuery(column, value) !== null
}

/** Returns the result of comparing a column with a value that it cannot contain: no row is equal to it. */
export function impossibleComparison(name: string, operator: Comparison): Sql {
  return { sql: operator === '<>' ? `${name} is not null` : '1 = 0', bindings: [] }
}
