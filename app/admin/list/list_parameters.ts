import {
  type Condition,
  pageOf,
  ListRequest,
  type Extent,
  type Sort,
  type Column,
  type DeletedMode,
} from '#crud/internals'
import type { ModelView } from '../model_view.js'
import { isSearchable, searchCondition } from './search_condition.js'

/** Page sizes on offer [B15] */
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
 * Parameters of a list. Invalid ones are treated as missing. [S27, S28, S29, B15, B16]
 */
export class ListParameters {
  readonly page: number
  readonly rows: number
  /** Column to sort by in the URL; null: default of the view */
  readonly sort: Sort | null
  /** Direction in the URL; null for the word None */
  readonly order: Order | null
  /** Search column, searchable or not; always a visible one */
  readonly column: Column | null
  /** Trimmed search text, searchable or not; empty without a column */
  readonly search: string
  readonly deleted: DeletedMode
  /** Condition of the search, if any */
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
   * Parses the query string of a list.
   *
   * @param query   with or without its question mark
   * @param search  name of the parameter with the search text
   */
  static read(view: ModelView, query: string, search: string = 'search-input'): ListParameters {
    const given = new URLSearchParams(query)
    /* The last of several values is used. */
    const last = (name: string) => given.getAll(name).at(-1)
    const column = view.resource.fields.find(({ apiName }) => apiName === last('column-to-search'))
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
   * Copy of the parameters with some values replaced.
   */
  with(values: Partial<Values>): ListParameters {
    return new ListParameters(this.view, { ...this, ...values })
  }

  /**
   * Effective order: that of the URL, else that of the view, else newest first. [B16]
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
   * Request to the CRUD object.
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
   * URL of the list, without default values.
   */
  get url(): string {
    return this.urlOf(this.page)
  }

  /**
   * URL of a page of this list.
   */
  urlOf(page: number): string {
    this.#query ??= new URLSearchParams(this.#fields()).toString()
    const parts = [this.#query, page > 1 ? `page=${page}` : ''].filter((part) => part !== '')
    return this.view.url('/') + (parts.length > 0 ? `?${parts.join('&')}` : '')
  }

  /**
   * Parameters without the search, as hidden fields of the search form.
   */
  get arrangement(): Array<[name: string, value: string]> {
    return this.#arrangement().filter((field) => field !== false)
  }

  /** Parameters that differ from the defaults, in a fixed order. */
  #fields(): Array<[name: string, value: string]> {
    const all: Array<[string, string] | false> = [
      this.search !== '' && ['column-to-search', this.column!.apiName],
      this.search !== '' && ['search-input', this.search],
      ...this.#arrangement(),
    ]
    return all.filter((field) => field !== false)
  }

  #arrangement(): Array<[string, string] | false> {
    return [
      this.deleted !== 'exclude' && ['deleted', this.deleted],
      this.sort !== null && ['sort_by', this.sort.column.apiName],
      this.sort !== null && ['sort_order', this.sort.direction],
      this.rows !== FEWEST_ROWS && ['rows-per-page-select', String(this.rows)],
    ]
  }
}

/**
 * Columns that the list can be searched by.
 */
export function searchableColumns({ resource, options }: ModelView): Column[] {
  const chosen = options.searchableColumns && new Set(options.searchableColumns)
  return resource.fields.filter(
    (column) => (chosen?.has(column.apiName) ?? true) && isSearchable(column)
  )
}

/** A value that is not an integer resets both parameters. [S27] */
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
