import type { Invalid } from '../http/problems.js'
import type { Column } from './column.js'
import type { Dialect } from '../database/dialect.js'

export interface Sort {
  column: Column
  direction: 'asc' | 'desc'
}

/** Name and direction of a column to sort by, before validation. */
export interface SortInput {
  name: string
  direction: Sort['direction']
}

/** Splits `name,-price`; returns an empty list if the text is absent. */
export function splitSorts(text: string | undefined): SortInput[] {
  const parts = text?.split(',') ?? []
  return parts.map((part) => ({
    name: part.replace(/^-/, ''),
    direction: part.startsWith('-') ? 'desc' : 'asc',
  }))
}

/**
 * Reads a sort order, in which each column applies once. Only visible columns can be sorted by: the order of hidden
 * values would reveal them.
 *
 * @param sortable  columns by API name
 * @param invalid   called with an error for any other name, which is ignored unless this function throws
 */
export function readSorts(
  input: readonly SortInput[],
  sortable: Pick<ReadonlyMap<string, Column>, 'get' | 'keys'>,
  invalid: Invalid
): Sort[] {
  const sorts = new Map<Column, Sort>()
  for (const { name, direction } of input) {
    const column = sortable.get(name)
    if (!column) {
      invalid(
        'sort',
        'sort',
        `must be names with commas between, each with an optional minus; names are ${[...sortable.keys()].join(', ')}`
      )
    } else if (!sorts.has(column)) sorts.set(column, { column, direction })
  }
  return [...sorts.values()]
}

/**
 * Returns the complete order: it ends with the key columns, so that no row is skipped or repeated, and contains each
 * column once.
 */
export function orderOf(sorts: readonly Sort[], keys: readonly Column[]): Sort[] {
  const order = new Map<Column, Sort>()
  for (const sort of [...sorts, ...keys.map(ascending)]) {
    if (!order.has(sort.column)) order.set(sort.column, sort)
  }
  return [...order.values()]
}

/** Returns the same column in the opposite direction. */
export function reversed({ column, direction }: Sort): Sort {
  return { column, direction: direction === 'asc' ? 'desc' : 'asc' }
}

function ascending(column: Column): Sort {
  return { column, direction: 'asc' }
}

/** Returns the table of a column in a list: the joined table if the column is one of related records. */
export function tableOf(column: Column, table: string): string {
  return column.related?.table ?? table
}

/** Returns the terms of `order by`: null is first, and last in descending order (`Dialect.order`). */
export function orderTerms(table: string, order: readonly Sort[], dialect: Dialect): string[] {
  return order.map(({ column, direction }) =>
    dialect.order(tableOf(column, table), column, direction)
  )
}
