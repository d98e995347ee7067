import type { Condition } from '#base/columns/condition'
import { pageOf, ListRequest } from '#crud/internals'
import type { Sort } from '#base/columns/sort'
import type { Column } from '#base/columns/column'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { ModelView } from '../model_view.js'
import { columnsWritten, readColumns } from './columns/column_choices.js'
import { filterParameter, readFilters, type ListFilter } from './list_filters.js'
import { DEFAULT_ROWS, usualRows } from './page_size.js'
import {
  NO_PLACE,
  type ListPlace,
  type SavedView,
  fieldsOutsideView,
} from './saved_views/list_place.js'
import { searchCondition } from './search_condition.js'
import { NO_TITLES, type TitleSearches, searchableColumns, wordConditions } from './title_search.js'
import {
  ROWS,
  SEARCHED,
  SEARCH,
  ALL_RECORDS,
  type Order,
  type Field,
  sortFields,
  written,
  joined,
  searchedText,
  readPaging,
  readSorting,
  readOrders,
  readDeleted,
} from './list_address.js'

interface Values {
  page: number
  rows: number
  sorting: readonly Sort[]
  order: Order | null
  column: Column | null
  search: string
  q: string
  filters: readonly ListFilter[]
  deleted: DeletedMode
  titles: TitleSearches
  columns: readonly string[] | null
  unknownColumns: readonly string[]
  place: ListPlace
  base: string | null
  fixed: readonly Condition[]
}

/**
 * Parameters of a list. Invalid ones are treated as missing, but filters and searches stay, to be named.
 * [S27, S28, S29, B15, B16, L1, L4, L5, L6, L7]
 */
export class ListParameters {
  readonly page: number
  readonly rows: number
  /** Columns to sort by in the URL; none: default of the view */
  readonly sorting: readonly Sort[]
  /** Direction of the first in the URL; null for the word None */
  readonly order: Order | null
  /** Search column, searchable or not; always a visible one */
  readonly column: Column | null
  /** Trimmed search text, searchable or not; empty without a column */
  readonly search: string
  /** Trimmed text that is searched for in all columns */
  readonly q: string
  /** Filters in the order of the URL, those with an error among them */
  readonly filters: readonly ListFilter[]
  readonly deleted: DeletedMode
  /** How references are found by title */
  readonly titles: TitleSearches
  /** Names of the columns that the URL, or the view in it, chooses; null: it says nothing of them [L6] */
  readonly columns: readonly string[] | null
  /** Names in `columns` that are none, at least not for the viewer */
  readonly unknownColumns: readonly string[]
  /** The viewer's views of the list, and how they have arranged it [L5, L6] */
  readonly place: ListPlace
  /** Address of the list, where it is a part of another page; null: its own [R4] */
  readonly base: string | null
  /** Conditions that no address changes */
  readonly fixed: readonly Condition[]
  /** Condition of the search in a column, if any */
  readonly condition: Condition | null
  #query: string | undefined
  /* Parts of the query before and after those of the order */
  #unsorted: [before: string, after: string] | undefined
  #changes: ReadonlyArray<readonly [string, string]> | undefined
  #words: readonly Condition[] | null | undefined

  constructor(
    readonly view: ModelView,
    values: Partial<Values> = {}
  ) {
    this.page = values.page ?? 1
    this.rows = values.rows ?? DEFAULT_ROWS
    this.sorting = values.sorting ?? []
    this.order = values.order === undefined ? 'asc' : values.order
    this.column = values.column ?? null
    this.search = values.search ?? ''
    this.q = values.q ?? ''
    this.filters = values.filters ?? []
    this.titles = values.titles ?? NO_TITLES
    this.deleted = values.deleted ?? 'exclude'
    this.columns = values.columns ?? null
    this.unknownColumns = values.unknownColumns ?? []
    this.place = values.place ?? NO_PLACE
    this.base = values.base ?? null
    this.fixed = values.fixed ?? []
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
   * @param titles  how references are found by title; `readList` finds that out
   * @param place   the query of the view that is open in it is part of `query`
   */
  static read(
    view: ModelView,
    query: string,
    search: string = SEARCH,
    titles: TitleSearches = NO_TITLES,
    place: ListPlace = NO_PLACE
  ): ListParameters {
    const given = new URLSearchParams(query)
    /* The last of several values is used. */
    const last = (name: string) => given.getAll(name).at(-1)
    const column = view.resource.fields.find(({ apiName }) => apiName === last(SEARCHED))
    const { columns, unknown } = readColumns(view, given.getAll('columns'))
    const namesNothing = given.size === 0 || place.open !== null
    const rows = namesNothing ? usualRows(view, place.rows) : DEFAULT_ROWS
    return new ListParameters(view, {
      ...readPaging(last('page'), last(ROWS), rows),
      sorting: readSorting(view, last('sort_by'), last('sort_order')),
      order: last('sort_order') === 'None' ? null : readOrders(last('sort_order'))[0],
      column,
      search: column ? (last(search) ?? '').trim() : '',
      q: searchedText(given, search),
      filters: readFilters(view, given, titles),
      titles,
      deleted: readDeleted(view, last('deleted')),
      columns,
      unknownColumns: unknown,
      place,
    })
  }

  /**
   * Copy of the parameters with some values replaced.
   */
  with(values: Partial<Values>): ListParameters {
    return new ListParameters(this.view, { ...this, ...values })
  }

  /** The first column to sort by in the URL; null: default of the view */
  get sort(): Sort | null {
    return this.sorting[0] ?? null
  }

  /**
   * Effective order: that of the URL, else that of the view, else newest first. [B16]
   */
  get sorts(): readonly Sort[] {
    const { key, sortable } = this.view.resource
    if (this.sorting.length > 0) return this.sorting
    const own = this.view.options.defaultSort ?? ''
    const column = sortable.get(own.replace(/^-/, ''))
    if (column) return [{ column, direction: own.startsWith('-') ? 'desc' : 'asc' }]
    return key.columns.map((part) => ({ column: part, direction: 'desc' }))
  }

  /**
   * Conditions of the search and the filters. Unreadable ones filter nothing.
   */
  get conditions(): readonly Condition[] {
    const filters = this.filters.map(({ condition }) => condition)
    return [...this.fixed, this.condition, ...(this.#wordConditions ?? []), ...filters].filter(
      (condition) => condition !== null
    )
  }

  /** True if the search text can't be searched for: it filters nothing. [S30, L4] */
  get isUnsearchable(): boolean {
    return (this.search !== '' && !this.condition) || this.#wordConditions === null
  }

  /** Filters that filter nothing. [L1] */
  get faults(): readonly ListFilter[] {
    return this.filters.filter(({ fault }) => fault !== null)
  }

  /**
   * True if the list shows more than was requested, because something of it can't be read. Nothing may be done
   * with all of its records then.
   */
  get isUnread(): boolean {
    const isFaulty = this.filters.some(({ fault }) => fault !== null)
    return this.isUnsearchable || this.place.isGone || isFaulty
  }

  /** Names of the columns to show; null: those that the model's list shows by default. [L6] */
  get shownColumns(): readonly string[] | null {
    return this.columns ?? this.place.columns
  }

  /** True if the list is no longer as the view that is open in it. [L5] */
  get isChanged(): boolean {
    return this.#besideView.length > 0
  }

  /** These parameters as a query string of their own, without the view that is open. */
  get wholeQuery(): string {
    return new URLSearchParams(this.#fields()).toString()
  }

  /** Null if the text can't be searched for */
  get #wordConditions(): readonly Condition[] | null {
    if (this.#words === undefined) {
      this.#words = this.q === '' ? [] : wordConditions(this.view, this.q, this.titles)
    }
    return this.#words
  }

  /**
   * True for a filter of a shared view that the viewer may not see, or that there is not: no page names it. [L5]
   */
  isWithheld(filter: ListFilter): boolean {
    const { open } = this.place
    if (!open?.isShared || filter.fault?.reason !== 'unknown') return false
    return new URLSearchParams(open.query).getAll(filterParameter(filter)).includes(filter.text)
  }

  /**
   * The first page without some of the filters.
   */
  without(filter: ListFilter | readonly ListFilter[]): ListParameters {
    const left = new Set([filter].flat())
    return this.with({ page: 1, filters: this.filters.filter((one) => !left.has(one)) })
  }

  /**
   * The first page without the filters of a column, such as facets count.
   */
  withoutColumn(column: Column): ListParameters {
    return this.without(this.filters.filter((filter) => filter.column === column))
  }

  /**
   * The first page without search and filters.
   */
  get unfiltered(): ListParameters {
    return this.with({ page: 1, search: '', q: '', filters: [] })
  }

  /**
   * The first page of the list without a view, as an address that names none. [L5]
   */
  get plain(): ListParameters {
    const place = { ...this.place, open: null, isGone: false }
    return new ListParameters(this.view, { rows: usualRows(this.view, place.rows), place })
  }

  /**
   * The first page of the list as a view has it. [L5]
   */
  in(open: SavedView): ListParameters {
    const place = { ...this.place, open, isGone: false }
    return ListParameters.read(this.view, open.query, SEARCH, NO_TITLES, place)
  }

  /**
   * Request to the CRUD object.
   */
  toRequest(extent: Partial<Pick<ListRequest, 'fields' | 'include' | 'count'>> = {}): ListRequest {
    return new ListRequest(
      this.conditions,
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
   * Query string of the list without default values and page, always spelled the same way.
   */
  get query(): string {
    this.#query ??= written(this.#placed())
    return this.#query
  }

  /**
   * URL of the first page of this list in another order.
   */
  sortedUrl(sorting: readonly Sort[]): string {
    if (this.place.open || this.place.defaultId !== null) return this.with({ page: 1, sorting }).url
    this.#unsorted ??= [written(this.#narrowing()), written(this.#paging())]
    const [before, after] = this.#unsorted
    return this.#address(joined(before, written(sortFields(sorting)), after))
  }

  /**
   * URL of a page of this list.
   */
  urlOf(page: number): string {
    return this.#address(joined(this.query, page > 1 ? `page=${page}` : ''))
  }

  #address(query: string): string {
    return (this.base ?? this.view.url('/')) + (query === '' ? '' : `?${query}`)
  }

  /**
   * Parameters without the search that the form shows, as its hidden fields.
   */
  get arrangement(): Field[] {
    const isKept = this.search !== '' && this.q !== ''
    const fields = this.#placed().filter(
      ([name]) => name !== SEARCHED && name !== SEARCH && (name !== 'q' || isKept)
    )
    /* A search of one column takes the place of that of the view. */
    const isOfView = this.#viewFields.some(([name]) => name === 'q')
    return isOfView && !isKept ? [...fields, ['q', '']] : fields
  }

  /** All parameters, or the view that is open in the list and what is other than in it. */
  #placed(): Field[] {
    const { open, defaultId } = this.place
    if (open) return [['view', String(open.id)], ...this.#besideView] as Field[]
    const fields = this.#fields()
    if (fields.length > 0) return fields
    if (defaultId !== null) return [['view', ALL_RECORDS]]
    const isUsual = this.rows === usualRows(this.view, this.place.rows)
    return isUsual ? [] : [[ROWS, String(this.rows)]]
  }

  get #besideView(): ReadonlyArray<readonly [string, string]> {
    if (!this.place.open) return []
    this.#changes ??= fieldsOutsideView(this.#viewFields, this.#fields())
    return this.#changes
  }

  /** As the viewer reads them, who cannot see all that its owner sees */
  get #viewFields(): Field[] {
    const { open } = this.place
    if (!open) return []
    return ListParameters.read(this.view, open.query, SEARCH, NO_TITLES, this.place).#fields()
  }

  #fields(): Field[] {
    return [...this.#narrowing(), ...sortFields(this.sorting), ...this.#paging()]
  }

  /** Parameters that differ from the defaults, in a fixed order: these, then those of the order, then `#paging`. */
  #narrowing(): Field[] {
    const searched: Field[] =
      this.search === ''
        ? []
        : [
            [SEARCHED, this.column!.apiName],
            [SEARCH, this.search],
          ]
    const words: Field[] = this.q === '' ? [] : [['q', this.q]]
    const filters = this.#filterFields()
    return [...filters, ...words, ...searched, ...this.#columnFields(), ...this.#deletedField()]
  }

  #filterFields(): Field[] {
    const named = this.filters.filter((filter) => !this.isWithheld(filter))
    return named.map((filter) => [filterParameter(filter), filter.text])
  }

  #columnFields(): Field[] {
    const columns = this.columns === null ? [] : columnsWritten(this.columns)
    return columns.map((text): Field => ['columns', text])
  }

  #deletedField(): Field[] {
    return this.deleted === 'exclude' ? [] : [['deleted', this.deleted]]
  }

  #paging(): Field[] {
    return this.rows === DEFAULT_ROWS ? [] : [[ROWS, String(this.rows)]]
  }
}
