import type { Column } from '#base/columns/column'
import { filterName, type ReadFilter } from '#base/columns/filter'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { Sort, SortWord } from '#base/columns/sort'
import { countIn, type ListWords } from '#crud/internals'
import type { ModelView } from '../views/model_view.js'
import { columnsWritten } from './columns/column_choices.js'
import { DEFAULT_ROWS, isPageSize } from '../views/page_size.js'

/*
 * The parameters of a list's address: to the words of the API's grammar, which reads them, and back.
 */

/** Value of the search form's column for a search of all of them. */
export const ALL_COLUMNS = '*'

/** Name of the parameter with the rows of a page */
export const ROWS = 'rows-per-page-select'

export const SEARCHED = 'column-to-search'

/** Name of the parameter with the search text */
export const SEARCH = 'search-input'

/** Value of `view` for the list without any view [L5] */
export const ALL_RECORDS = 'all'

/* `filter.price__gte` is `price__gte` in the API. */
const PREFIX = 'filter.'

export type Order = Sort['direction']

export type Field = [name: string, value: string]

/** Of several values of a parameter the last counts. */
export function lastIn(given: URLSearchParams, name: string): string | undefined {
  return given.getAll(name).at(-1)
}

/**
 * The words of an address, without those that only the admin list has. Paging that is invalid is put right:
 * a page below 1 is page 1, an impossible number of rows the default, and a value that is not an integer resets both.
 * [S27, S28, B15, B16, L1, L7]
 *
 * @param rows  rows of a page, unless the address names them
 */
export function listWords(view: ModelView, given: URLSearchParams, rows: number): ListWords {
  const last = (name: string) => lastIn(given, name)
  return {
    filters: filtersIn(given),
    sort: last('sort_by') === 'None' ? [] : sortIn(last('sort_by'), ordersIn(given)),
    paging: pagingIn(last('page') ?? '1', last(ROWS) ?? String(rows)),
    deleted: view.resource.softDelete && last('deleted'),
  }
}

function filtersIn(given: URLSearchParams): Field[] {
  const filters = [...given].filter(([name]) => name.startsWith(PREFIX))
  return filters.map(([name, text]): Field => [name.slice(PREFIX.length), text])
}

function sortIn(names: string | undefined, orders: readonly Order[]): SortWord[] {
  const all = names?.split(',') ?? []
  return all.map((name, index) => ({ name, direction: orders[index] ?? 'asc' }))
}

/** Directions of the columns in `sort_by`, at least one */
function ordersIn(given: URLSearchParams): Order[] {
  const orders = (lastIn(given, 'sort_order') ?? '').split(',')
  return orders.map((one) => (one.toLowerCase() === 'desc' ? 'desc' : 'asc'))
}

/** Direction of the first column; null for the word None */
export function orderIn(given: URLSearchParams): Order | null {
  return lastIn(given, 'sort_order') === 'None' ? null : ordersIn(given)[0]
}

function pagingIn(page: string, rows: string): ListWords['paging'] {
  const [wanted, many] = [page, rows].map(integerIn)
  const isRead = wanted !== null && many !== null
  return {
    page: String(isRead ? Math.max(wanted, 1) : 1),
    itemsPerPage: String(isRead && isPageSize(many) ? many : DEFAULT_ROWS),
  }
}

/** A negative integer is 0. */
function integerIn(text: string): number | null {
  const [sign] = /^[+-]?/.exec(text.trim())!
  const count = countIn(text.trim().slice(sign.length))
  return sign === '-' && count !== null ? 0 : count
}

/**
 * What an address searches for: a text in the column of that name, or `q` in all columns, which may also be chosen in
 * the search form. Both are trimmed. [S29, L4]
 *
 * @param search  name of the parameter with the form's text
 */
export function searchIn(given: URLSearchParams, search: string = SEARCH) {
  const trimmed = (name: string) => (lastIn(given, name) ?? '').trim()
  const column = lastIn(given, SEARCHED)
  return { column, text: trimmed(search), q: trimmed(column === ALL_COLUMNS ? search : 'q') }
}

interface Narrowing {
  filters: readonly Pick<ReadFilter, 'name' | 'text'>[]
  q: string
  column: Column | null
  search: string
  columns: readonly string[] | null
  deleted: DeletedMode
}

/** The parameters that say which records and columns a list has, without defaults, in a fixed order. */
export function narrowingFields(list: Narrowing): Field[] {
  const { filters, q, column, search, columns, deleted } = list
  return [
    ...filters.map(({ name, text }): Field => [filterParameter(name), text]),
    ...fieldsUnless(q === '', ['q', q]),
    ...(column && search !== '' ? searchFields(column, search) : []),
    ...(columns ? columnsWritten(columns) : []).map((text): Field => ['columns', text]),
    ...fieldsUnless(deleted === 'exclude', ['deleted', deleted]),
  ]
}

function searchFields({ apiName }: Column, text: string): Field[] {
  return [
    [SEARCHED, apiName],
    [SEARCH, text],
  ]
}

export function sortFields(sorting: readonly Sort[]): Field[] {
  if (sorting.length === 0) return []
  return [
    ['sort_by', sorting.map(({ column }) => column.apiName).join()],
    ['sort_order', sorting.map(({ direction }) => direction).join()],
  ]
}

export function rowsFields(rows: number): Field[] {
  return fieldsUnless(rows === DEFAULT_ROWS, [ROWS, String(rows)])
}

function fieldsUnless(isDefault: boolean, field: Field): Field[] {
  return isDefault ? [] : [field]
}

/** Name of a filter's parameter. */
export function filterParameter(name: string): string {
  return PREFIX + name
}

/** URL of the list of the records with these values. */
export function filteredUrl(view: ModelView, values: ReadonlyArray<[Column, string]>): string {
  const fields = values.map(([column, value]): Field => [
    filterParameter(filterName(column)),
    value,
  ])
  return `${view.url('/')}?${new URLSearchParams(fields)}`
}

export function written(fields: Field[]): string {
  return fields.length === 0 ? '' : new URLSearchParams(fields).toString()
}

export function joined(...queries: string[]): string {
  return queries.filter((query) => query !== '').join('&')
}
