import type { Condition } from '#crud/request/condition'
import { pageOf } from '#crud/request/paging'
import { ListRequest, type Extent } from '#crud/request/list_request'
import type { Sort } from '#crud/request/sort'
import type { Column } from '#crud/resource/column'
import type { DeletedMode } from '#crud/resource/soft_delete'
import type { ModelView } from '../model_view.js'
import { isSearchable, searchCondition } from './search_condition.js'

/** How many rows a page may be asked to have [B15] */
export const ROWS_OFFERED = [10, 20, 50, 100]

const FEWEST_ROWS = 10
const MOST_ROWS = 100

type Order = 'asc' | 'desc'

interface Values {
  page: number
  rows: number
  sort: Sort | null
  order: Order | null
  column: Column | null
  search: string
  deleted: DeletedMode
}

/**
 * What a list was asked to show. Nothing in an address is refused: what can't be is as if it had not
 * been said. [S27, S28, S29, B15, B16]
 */
export class ListParameters {
  readonly page: number
  readonly rows: number
  /** What the address sorts by; null: as the view does by itself */
  readonly sort: Sort | null
  /** What the address says of the order; null for the word None */
  readonly order: Order | null
  /** One that is shown, whether it can be searched by or not */
  readonly column: Column | null
  /** What was typed, trimmed, whether it can be looked for or not; empty without a column */
  readonly search: string
  readonly deleted: DeletedMode
  /** What the search asks for, if anything */
  readonly condition: Condition | null
  #query: string | undefined

  constructor(
    readonly view: ModelView,
    values: Partial<Values> = {}
  ) {
    this.page = values.page ?? 1
    this.rows = values.rows ?? FEWEST_ROWS
    this.sort = values.sort ?? null
    this.order = values.order === undefined ? 'asc' : values.order
    this.column = values.column ?? null
    this.search = values.search ?? ''
    this.deleted = values.deleted ?? 'exclude'
    this.condition =
      this.search !== '' && searchableColumns(view).includes(this.column!)
        ? searchCondition(this.column!, this.search)
        : null
  }

  /**
   * Reads the query string of a list.
   *
   * @param query   with or without its question mark
   * @param search  the parameter that holds what is searched for
   */
  static read(view: ModelView, query: string, search: string = 'search-input'): ListParameters {
    const given = new URLSearchParams(query)
    /* As with most readers of query strings, the last of several counts. */
    const last = (name: string) => given.getAll(name).at(-1)
    const column = view.resource.fields.find(({ wire }) => wire === last('column-to-search'))
    return new ListParameters(view, {
      ...readPaging(last('page'), last('rows-per-page-select')),
      sort: readSort(view, last('sort_by'), last('sort_order')),
      order: last('sort_order') === 'None' ? null : readOrder(last('sort_order')),
      column,
      search: column ? (last(search) ?? '').trim() : '',
      deleted: readDeleted(view, last('deleted')),
    })
  }

  /**
   * The same list, but for some of it.
   */
  with(values: Partial<Values>): ListParameters {
    return new ListParameters(this.view, { ...this, ...values })
  }

  /**
   * The order in effect: as the address says, else as the view does, else the newest first. [B16]
   */
  get sorts(): readonly Sort[] {
    const { key, sortable } = this.view.resource
    if (this.sort) return [this.sort]
    const own = this.view.options.defaultSort ?? ''
    const column = sortable.get(own.replace(/^-/, ''))
    if (column) return [{ column, direction: own.startsWith('-') ? 'desc' : 'asc' }]
    return key.columns.map((part) => ({ column: part, direction: 'desc' }))
  }

  /**
   * What the CRUD object is asked for.
   */
  toRequest(extent: Extent = {}): ListRequest {
    return new ListRequest(
      this.condition ? [this.condition] : [],
      this.sorts,
      pageOf(this.page, this.rows),
      this.deleted,
      extent
    )
  }

  /**
   * The list's address: what is not said otherwise in it is left out.
   */
  get url(): string {
    return this.urlOf(this.page)
  }

  /**
   * The address of a page of this list.
   */
  urlOf(page: number): string {
    this.#query ??= new URLSearchParams(this.#fields()).toString()
    const parts = [this.#query, page > 1 ? `page=${page}` : ''].filter((part) => part !== '')
    return this.view.url('/') + (parts.length > 0 ? `?${parts.join('&')}` : '')
  }

  /**
   * The same without what is searched for: what a search form keeps.
   */
  get arrangement(): Array<[name: string, value: string]> {
    return this.#arrangement().filter((field) => field !== false)
  }

  /** What differs from the first page of a list of which nothing was said, in the usual order. */
  #fields(): Array<[name: string, value: string]> {
    const all: Array<[string, string] | false> = [
      this.search !== '' && ['column-to-search', this.column!.wire],
      this.search !== '' && ['search-input', this.search],
      ...this.#arrangement(),
    ]
    return all.filter((field) => field !== false)
  }

  #arrangement(): Array<[string, string] | false> {
    return [
      this.deleted !== 'exclude' && ['deleted', this.deleted],
      this.sort !== null && ['sort_by', this.sort.column.wire],
      this.sort !== null && ['sort_order', this.sort.direction],
      this.rows !== FEWEST_ROWS && ['rows-per-page-select', String(this.rows)],
    ]
  }
}

/**
 * The columns that the list can be searched by.
 */
export function searchableColumns({ resource, options }: ModelView): Column[] {
  const chosen = options.searchableColumns && new Set(options.searchableColumns)
  return resource.fields.filter(
    (column) => (chosen?.has(column.wire) ?? true) && isSearchable(column)
  )
}

/** One that is no integer resets both. [S27] */
function readPaging(page: string | undefined, rows: string | undefined) {
  const wanted = readInteger(page ?? '1')
  const many = readInteger(rows ?? String(FEWEST_ROWS))
  if (wanted === null || many === null) return { page: 1, rows: FEWEST_ROWS }
  const isOffered = many >= 1 && many <= MOST_ROWS
  return { page: Math.max(wanted, 1), rows: isOffered ? many : FEWEST_ROWS }
}

function readInteger(text: string): number | null {
  if (!/^[+-]?\d+$/.test(text.trim())) return null
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}

function readSort(
  { resource }: ModelView,
  by: string | undefined,
  order: string | undefined
): Sort | null {
  const column = by === undefined || by === 'None' ? undefined : resource.sortable.get(by)
  if (!column) return null
  return { column, direction: readOrder(order) }
}

function readOrder(order: string | undefined): Order {
  return order?.toLowerCase() === 'desc' ? 'desc' : 'asc'
}

function readDeleted({ resource }: ModelView, mode: string | undefined): DeletedMode {
  return resource.softDelete && (mode === 'include' || mode === 'only') ? mode : 'exclude'
}
