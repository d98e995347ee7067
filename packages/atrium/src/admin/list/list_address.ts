import type { Sort } from '#base/columns/sort'
import type { Column } from '#base/columns/column'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { ModelView } from '../model_view.js'
import { DEFAULT_ROWS, isPageSize } from './page_size.js'

/** Value of the search form's column for a search of all of them. */
export const ALL_COLUMNS = '*'

/** Name of the parameter with the rows of a page */
export const ROWS = 'rows-per-page-select'

export const SEARCHED = 'column-to-search'

/** Name of the parameter with the search text */
export const SEARCH = 'search-input'

/** Value of `view` for the list without any view [L5] */
export const ALL_RECORDS = 'all'

export type Order = 'asc' | 'desc'

export type Field = [name: string, value: string]

export function sortFields(sorting: readonly Sort[]): Field[] {
  if (sorting.length === 0) return []
  return [
    ['sort_by', sorting.map(({ column }) => column.apiName).join()],
    ['sort_order', sorting.map(({ direction }) => direction).join()],
  ]
}

export function written(fields: Field[]): string {
  return fields.length === 0 ? '' : new URLSearchParams(fields).toString()
}

export function joined(...queries: string[]): string {
  return queries.filter((query) => query !== '').join('&')
}

/**
 * The text that is searched for in all columns: `q`, or that of a search form in which they are chosen. [L4]
 *
 * @param search  name of the parameter with the form's text
 */
export function searchedText(given: URLSearchParams, search: string = SEARCH): string {
  const isForm = given.getAll(SEARCHED).at(-1) === ALL_COLUMNS
  const text = isForm ? given.getAll(search).at(-1) : given.getAll('q').at(-1)
  return (text ?? '').trim()
}

/** A value that is not an integer resets both parameters. [S27] */
export function readPaging(page: string | undefined, rows: string | undefined, usual: number) {
  const wanted = readInteger(page ?? '1')
  const many = readInteger(rows ?? String(usual))
  if (wanted === null || many === null) return { page: 1, rows: DEFAULT_ROWS }
  return { page: Math.max(wanted, 1), rows: isPageSize(many) ? many : DEFAULT_ROWS }
}

function readInteger(text: string): number | null {
  if (!/^[+-]?\d+$/.test(text.trim())) return null
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}

/** Names that can't be sorted by are left out, each with its direction. [B15, L7] */
export function readSorting(
  { resource }: ModelView,
  by: string | undefined,
  order: string | undefined
): Sort[] {
  if (by === undefined || by === 'None') return []
  const sorts = new Map<Column, Sort>()
  const directions = readOrders(order)
  for (const [index, name] of by.split(',').entries()) {
    const column = resource.sortable.get(name)
    if (!column || sorts.has(column)) continue
    sorts.set(column, { column, direction: directions[index] ?? 'asc' })
  }
  return [...sorts.values()]
}

/** At least one */
export function readOrders(order: string = ''): Order[] {
  return order.split(',').map((one) => (one.toLowerCase() === 'desc' ? 'desc' : 'asc'))
}

export function readDeleted({ resource }: ModelView, mode: string | undefined): DeletedMode {
  return resource.softDelete && (mode === 'include' || mode === 'only') ? mode : 'exclude'
}
