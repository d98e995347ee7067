import type { Dialect, Query } from '../database/dialect.js'
import { invalidParameter } from '../http/problems.js'
import type { Column } from '../resource/column.js'

export interface Sort {
  column: Column
  direction: 'asc' | 'desc'
}

/**
 * Reads `name,-price`. Only columns that the answers show can be sorted by: the order of hidden
 * values would give them away. [A15]
 *
 * @param sortable  by wire name
 * @throws Problem 422  for any other name, or an empty part
 */
export function parseSort(text: string, sortable: ReadonlyMap<string, Column>): Sort[] {
  return text.split(',').map((part) => {
    const descending = part.startsWith('-')
    const column = sortable.get(descending ? part.slice(1) : part)
    if (!column) {
      throw invalidParameter(
        'sort',
        'sort',
        `must be names with commas between, each with an optional minus; names are ${[...sortable.keys()].join(', ')}`
      )
    }
    return { column, direction: descending ? 'desc' : 'asc' }
  })
}

/**
 * Orders the query, always down to the key, so that no row is skipped or seen twice. [A14]
 */
export function applySort(
  query: Query,
  table: string,
  sorts: readonly Sort[],
  keys: readonly Column[],
  dialect: Dialect
): void {
  const seen = new Set<Column>()
  const all = [...sorts, ...keys.map((column): Sort => ({ column, direction: 'asc' }))]
  for (const { column, direction } of all) {
    if (!seen.has(column)) dialect.order(query, table, column, direction)
    seen.add(column)
  }
}
