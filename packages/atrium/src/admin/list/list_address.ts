import type { Column } from '#base/columns/column'
import { filterName, type ReadFilter } from '#base/columns/filter'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { Sort, SortInput } from '#base/columns/sort'
import { countIn } from '#base/values/numbers'
import type { GroupKey, ListInput } from '#crud/internals'
import type { ModelView } from '../views/model_view.js'
import { columnsWritten } from './columns/column_choices.js'
import { summariesWritten, type Summary } from './summaries/summaries.js'
import { DEFAULT_ROWS, isPageSize } from '../views/page_size.js'

/* Conversion between the parameters of a list's URL and the query grammar of the API, which parses the values. */

/** Value of the search form's column selection for a search in all columns */
export const ALL_COLUMNS = '*'

/** Name of the parameter with the page size */
export const ROWS = 'rows-per-page-select'

export const SEARCHED = 'column-to-search'

/** Name of the parameter with the search text */
export const SEARCH = 'search-input'

/** Value of the parameter `view` that disables the default view */
export const ALL_RECORDS = 'all'

/** Name of the parameter with the summaries under the list, such as `us_gross:sum` */
export const SUMMARY = 'summary'

/** Name of the parameter with the column by which the list is grouped, such as `status` or `sold_on:month` */
export const GROUP_BY = 'group_by'

/** Name of the parameter with the figure in the chart of the groups: `us_gross:sum`, or `count` */
export const CHART = 'chart'

/* Prefix of filter parameters: `filter.price__gte` is `price__gte` in the API. */
export const PREFIX = 'filter.'

export type Order = Sort['direction']

export type Field = [name: string, value: string]

/** Returns the last value of a parameter; earlier values are ignored. Undefined without the parameter. */
export function lastIn(given: URLSearchParams, name: string): string | undefined {
  return given.getAll(name).at(-1)
}

/**
 * Returns the URL's parameters that the API also has. Corrects invalid paging: a page below 1 becomes page 1, a page
 * size out of range becomes the default, and a value that is not an integer resets both.
 *
 * @param rows  page size if the URL contains none
 */
export function urlListInput(view: ModelView, given: URLSearchParams, rows: number): ListInput {
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

function sortIn(names: string | undefined, orders: readonly Order[]): SortInput[] {
  const all = names?.split(',') ?? []
  return all.map((name, index) => ({ name, direction: orders[index] ?? 'asc' }))
}

/** Returns the sort directions of the columns in `sort_by`; at least one. */
function ordersIn(given: URLSearchParams): Order[] {
  const orders = (lastIn(given, 'sort_order') ?? '').split(',')
  return orders.map((one) => (one.toLowerCase() === 'desc' ? 'desc' : 'asc'))
}

/** Returns the sort direction of the first column; null for the value `None`. */
export function orderIn(given: URLSearchParams): Order | null {
  return lastIn(given, 'sort_order') === 'None' ? null : ordersIn(given)[0]
}

function pagingIn(page: string, rows: string): ListInput['paging'] {
  const [wanted, many] = [page, rows].map(integerIn)
  const isRead = wanted !== null && many !== null
  return {
    page: String(isRead ? Math.max(wanted, 1) : 1),
    itemsPerPage: String(isRead && isPageSize(many) ? many : DEFAULT_ROWS),
  }
}

/** Parses an integer; a negative one becomes 0. Null for any other text. */
function integerIn(text: string): number | null {
  const [sign] = /^[+-]?/.exec(text.trim())!
  const count = countIn(text.trim().slice(sign.length))
  return sign === '-' && count !== null ? 0 : count
}

/**
 * Returns the search of a URL: a text in one column, or `q` in all columns. The search form can also select all
 * columns. Texts are trimmed.
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
  summaries: readonly Summary[] | null
  groupBy: GroupKey | null
  chart: string | null
}

/** Returns the parameters that determine the records and columns of a list, without defaults, in a fixed order. */
export function narrowingFields(list: Narrowing): Field[] {
  const { filters, q, column, search, columns, deleted, summaries, groupBy, chart } = list
  return [
    ...filters.map(({ name, text }): Field => [filterParameter(name), text]),
    ...fieldsUnless(q === '', ['q', q]),
    ...(column && search !== '' ? searchFields(column, search) : []),
    ...(columns ? columnsWritten(columns) : []).map((text): Field => ['columns', text]),
    ...fieldsUnless(deleted === 'exclude', ['deleted', deleted]),
    ...(summaries ? [[SUMMARY, summariesWritten(summaries)] as Field] : []),
    ...(groupBy ? [[GROUP_BY, groupBy.name] as Field] : []),
    ...(groupBy && chart !== null ? [[CHART, chart] as Field] : []),
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

/** Returns the name of a filter's parameter. */
export function filterParameter(name: string): string {
  return PREFIX + name
}

/** Returns the URL of the list filtered by the given values. */
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
