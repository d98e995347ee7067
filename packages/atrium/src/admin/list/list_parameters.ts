import type { Condition } from '#base/columns/condition'
import { conditionsOf, type ReadFilter } from '#base/columns/filter'
import { pageOf, ListRequest, readListWords } from '#crud/internals'
import { readSorts, sortWords, type Sort } from '#base/columns/sort'
import type { Column } from '#base/columns/column'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { ModelView } from '../views/model_view.js'
import { readColumns } from './columns/column_choices.js'
import { listDoor } from './list_filters.js'
import { DEFAULT_ROWS, usualRows } from '../views/page_size.js'
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
  filterParameter,
  listWords,
  narrowingFields,
  orderIn,
  rowsFields,
  searchIn,
  sortFields,
  written,
  joined,
} from './list_address.js'

type Paged = Pick<ListParameters, 'page' | 'rows' | 'sorting' | 'order' | 'deleted' | 'fixed'>
type Found = Pick<ListParameters, 'column' | 'search' | 'q' | 'filters' | 'titles'>
type Shown = Pick<ListParameters, 'columns' | 'unknownColumns' | 'place' | 'base'>

/**
 * A list as its address asks for it: a request of the API, and what the admin list has in addition. Invalid parameters are
 * treated as missing, but filters and searches stay, to be named. [S27, S28, S29, B15, B16, L1, L4, L5, L6, L7]
 */
export class ListParameters {
  readonly page: number = 1
  readonly rows: number = DEFAULT_ROWS
  /** Columns to sort by in the URL; none: default of the view */
  readonly sorting: readonly Sort[] = []
  /** Direction of the first in the URL; null for the word None */
  readonly order: Order | null = 'asc'
  /** Search column, searchable or not; always a visible one */
  readonly column: Column | null = null
  /** Trimmed search text, searchable or not; empty without a column */
  readonly search: string = ''
  /** Trimmed text that is searched for in all columns */
  readonly q: string = ''
  /** Filters in the order of the URL, those with an error among them */
  readonly filters: readonly ReadFilter[] = []
  readonly deleted: DeletedMode = 'exclude'
  /** How references are found by title */
  readonly titles: TitleSearches = NO_TITLES
  /** Names of the columns that the URL, or the view in it, chooses; null: it says nothing of them [L6] */
  readonly columns: readonly string[] | null = null
  /** Names in `columns` that are none, at least not for the viewer */
  readonly unknownColumns: readonly string[] = []
  /** The viewer's views of the list, and how they have arranged it [L5, L6] */
  readonly place: ListPlace = NO_PLACE
  /** Address of the list, where it is a part of another page; null: its own [R4] */
  readonly base: string | null = null
  /** Conditions that no address changes */
  readonly fixed: readonly Condition[] = []
  /** Condition of the search in a column, if any */
  readonly condition: Condition | null
  #query: string | undefined
  /* Parts of the query before and after those of the order */
  #unsorted: [before: string, after: string] | undefined
  #changes: ReadonlyArray<readonly [string, string]> | undefined
  #words: readonly Condition[] | null | undefined

  constructor(
    readonly view: ModelView,
    values: Partial<Paged & Found & Shown> = {}
  ) {
    Object.assign(this, values)
    const isSearched = this.search !== '' && searchableColumns(view).includes(this.column!)
    this.condition = isSearched ? searchCondition(this.column!, this.search) : null
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
    const { resource } = view
    const given = new URLSearchParams(query)
    const namesNothing = given.size === 0 || place.open !== null
    const usual = namesNothing ? usualRows(view, place.rows) : DEFAULT_ROWS
    const list = readListWords(resource, listWords(view, given, usual), listDoor(view, titles))
    const { column: searched, text, q } = searchIn(given, search)
    const column = resource.fields.find(({ apiName }) => apiName === searched) ?? null
    const { columns, unknown } = readColumns(view, given.getAll('columns'))
    return new ListParameters(view, {
      page: list.paging.shape === 'page' ? list.paging.page : 1,
      rows: list.paging.limit,
      sorting: list.sorts,
      order: orderIn(given),
      column,
      search: column ? text : '',
      q,
      filters: list.filters,
      titles,
      deleted: list.deleted,
      columns,
      unknownColumns: unknown,
      place,
    })
  }

  /**
   * Copy of the parameters with some values replaced.
   */
  with(values: Partial<Paged & Found & Shown>): ListParameters {
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
    const usual = readSorts(sortWords(this.view.options.defaultSort), sortable, () => {})
    if (usual.length > 0) return usual
    return key.columns.map((part) => ({ column: part, direction: 'desc' }))
  }

  /**
   * Conditions of the search and the filters. Unreadable ones filter nothing.
   */
  get conditions(): readonly Condition[] {
    const { condition, filters, fixed } = this
    const searched = [...(condition ? [condition] : []), ...(this.#wordConditions ?? [])]
    return [...fixed, ...searched, ...conditionsOf(filters)]
  }

  /** True if the search text can't be searched for: it filters nothing. [S30, L4] */
  get isUnsearchable(): boolean {
    return (this.search !== '' && !this.condition) || this.#wordConditions === null
  }

  /** Filters that filter nothing. [L1] */
  get errors(): readonly ReadFilter[] {
    return this.filters.filter(({ error }) => error !== null)
  }

  /**
   * True if the list shows more than was requested, because something of it can't be read. Nothing may be done
   * with all of its records then.
   */
  get isUnread(): boolean {
    return this.isUnsearchable || this.place.isGone || this.errors.length > 0
  }

  /** Names of the columns to show; null: those that the model's list shows by default. [L6] */
  get shownColumns(): readonly string[] | null {
    return this.columns ?? this.place.columns
  }

  /** True if the list is no longer as the view that is open in it. [L5] */
  get isChanged(): boolean {
    return this.#nextToView.length > 0
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
  isWithheld(filter: ReadFilter): boolean {
    const { open } = this.place
    if (!open?.isShared || filter.error?.reason !== 'unknown') return false
    return new URLSearchParams(open.query)
      .getAll(filterParameter(filter.name))
      .includes(filter.text)
  }

  /**
   * The first page without some of the filters.
   */
  without(filter: ReadFilter | readonly ReadFilter[]): ListParameters {
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
    this.#unsorted ??= [written(this.#narrowing()), written(rowsFields(this.rows))]
    const [before, after] = this.#unsorted
    return this.#address(joined(before, written(sortFields(sorting)), after))
  }

  /**
   * URL of a page of this list.
   */
  urlOf(page: number): string {
    return this.#address(joined(this.query, page > 1 ? `page=${page}` : ''))
  }

  /**
   * URL of a page below the list that knows the list.
   *
   * @param more  further parameters
   */
  urlBelow(path: string, more: Record<string, string> = {}): string {
    const query = joined(this.query, new URLSearchParams(more).toString())
    return this.view.url(path) + (query === '' ? '' : `?${query}`)
  }

  #address(query: string): string {
    return (this.base ?? this.view.url('/')) + (query === '' ? '' : `?${query}`)
  }

  /**
   * Parameters without the search that the form shows, as its hidden fields.
   */
  get arrangement(): Field[] {
    const isStored = this.search !== '' && this.q !== ''
    const fields = this.#placed().filter(
      ([name]) => name !== SEARCHED && name !== SEARCH && (name !== 'q' || isStored)
    )
    /* A search of one column takes the place of that of the view. */
    const isOfView = this.#viewFields.some(([name]) => name === 'q')
    return isOfView && !isStored ? [...fields, ['q', '']] : fields
  }

  /** All parameters, or the view that is open in the list and what is other than in it. */
  #placed(): Field[] {
    const { open, defaultId } = this.place
    if (open) return [['view', String(open.id)], ...this.#nextToView] as Field[]
    const fields = this.#fields()
    if (fields.length > 0) return fields
    if (defaultId !== null) return [['view', ALL_RECORDS]]
    const isUsual = this.rows === usualRows(this.view, this.place.rows)
    return isUsual ? [] : [[ROWS, String(this.rows)]]
  }

  get #nextToView(): ReadonlyArray<readonly [string, string]> {
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
    return [...this.#narrowing(), ...sortFields(this.sorting), ...rowsFields(this.rows)]
  }

  #narrowing(): Field[] {
    const filters = this.filters.filter((filter) => !this.isWithheld(filter))
    return narrowingFields({ ...this, filters })
  }
}
