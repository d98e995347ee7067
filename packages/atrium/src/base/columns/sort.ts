import { invalidParameter } from '../http/problems.js'
import type { Column } from './column.js'

export interface Sort {
  column: Column
  direction: 'asc' | 'desc'
}

/**
 * Reads `name,-price`. Only visible columns can be sorted by: the order of hidden values would reveal
 * them. [A15]
 *
 * @param sortable  by API name
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
 * The complete order: ends with the key columns, so that no row is skipped or repeated, each column
 * once. [A14]
 */
export function orderOf(sorts: readonly Sort[], keys: readonly Column[]): Sort[] {
  const order = new Map<Column, Sort>()
  for (const sort of [...sorts, ...keys.map(ascending)]) {
    if (!order.has(sort.column)) order.set(sort.column, sort)
  }
  return [...order.values()]
}

/** The same column, the other way round. */
export function reversed({ column, direction }: Sort): Sort {
  return { column, direction: direction === 'asc' ? 'desc' : 'asc' }
}

function ascending(column: Column): Sort {
  return { column, direction: 'asc' }
}
