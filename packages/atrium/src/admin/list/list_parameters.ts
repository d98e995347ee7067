import type { Condition } from '#base/columns/condition'
import { conditionsOf, type ReadFilter } from '#base/columns/filter'
import {
  pageOf,
  ListRequest,
  readListInput,
  type GroupKey,
  type RelatedFields,
} from '#crud/internals'
import { readSorts, splitSorts, type Sort } from '#base/columns/sort'
import type { Column } from '#base/columns/column'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { ModelView } from '../views/model_view.js'
import { readColumns } from './columns/column_choices.js'
import { adminListRules } from './list_filters.js'
import { DEFAULT_ROWS, usualRows } from '../views/page_size.js'
import { NO_SETTINGS, type ListSettings, fieldsOutsideView } from './saved_views/list_settings.js'
import type { SavedView } from './saved_views/saved_views.js'
import { searchCondition } from '#base/columns/search_condition'
import { NO_TITLES, type TitleSearches, searchableColumns, wordConditions } from './title_search.js'
import { readFigures, usualSummaries, type Summary } from './summaries/summaries.js'
import {
  CHART,
  GROUP_BY,
  lastIn,
  SUMMARY,
  ROWS,
  SEARCHED,
  SEARCH,
  ALL_RECORDS,
  type Order,
  type Field,
  filterParameter,
  urlListInput,
  narrowingFields,
  orderIn,
  rowsFields,
  searchIn,
  sortFields,
  written,
  joined,
} from './list_address.js'

type Paged = Pick<ListParameters, 'page' | 'rows' | 'sorting' | 'order' | 'deleted' | 'fixed'>
type Found = Pick<ListParameters, 'column' | 'search' | 'q' | 'filters'> & { titles: TitleSearches }
type Shown = Pick<
  ListParameters,
  | 'columns'
  | 'unknownColumns'
  | 'settings'
  | 'base'
  | 'summaries'
  | 'groupBy'
  | 'chart'
  | 'unknownFigures'
  | 'related'
>

/**
 * The parameters of a list's URL: an API request and additional parameters of the admin list. Invalid parameters are
 * treated as missing, but invalid filters and searches are preserved, so that they can be shown. It has many members
 * because each parameter is one, and the table, the filters, the pager, exports and bulk actions read different ones.
 */
export class ListParameters {
  readonly page: number = 1
  readonly rows: number = DEFAULT_ROWS
  /** Sort columns of the URL; empty for the default order of the view */
  readonly sorting: readonly Sort[] = []
  /** Direction of the first sort column in the URL; null for the value `None` */
  readonly order: Order | null = 'asc'
  /** Search column, even if it is not searchable; always a visible column */
  readonly column: Column | null = null
  /** Trimmed search text, even if it cannot be searched for; empty without a column */
  readonly search: string = ''
  /** Trimmed search text for all columns */
  readonly q: string = ''
  /** Filters in the order of the URL, including those with errors */
  readonly filters: readonly ReadFilter[] = []
  readonly deleted: DeletedMode = 'exclude'
  /** Searches for references by title */
  private readonly titles: TitleSearches = NO_TITLES
  /** Names of the columns in the URL or in its saved view; null if neither contains columns */
  readonly columns: readonly string[] | null = null
  /** Names in `columns` that do not exist or that the viewer cannot see */
  readonly unknownColumns: readonly string[] = []
  /** Summaries in the URL or in its saved view; null if neither contains any */
  readonly summaries: readonly Summary[] | null = null
  /** What the records are grouped by; null for the list of records */
  readonly groupBy: GroupKey | null = null
  /** Name of the summary in the chart of the groups, or `count`; null for the first summary */
  readonly chart: string | null = null
  /** Names in `summary` and `group_by` that do not exist or that the viewer cannot see */
  readonly unknownFigures: readonly string[] = []
  /** The viewer's saved views and preferences for the list */
  readonly settings: ListSettings = NO_SETTINGS
  /** Fields of related records that the URL names or the list can show */
  readonly related: RelatedFields | undefined
  /** URL of the page that contains the list; null for the list's page */
  readonly base: string | null = null
  /** Conditions that do not depend on the URL */
  readonly fixed: readonly Condition[] = []
  /** Condition of the search in a column; null if there is none */
  readonly condition: Condition | null
  #query: string | undefined
  /* Parts of the query before and after the sort parameters */
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
   * @param query   query string with or without the question mark
   * @param search  name of the parameter with the search text
   * @param titles  searches for references by title; created by `readList`
   * @param related  the fields of related records that the query names; read by `readList`
   * @param settings   saved views and preferences; `query` must already include the query of the current saved view
   */
  static read(
    view: ModelView,
    query: string,
    search: string = SEARCH,
    titles: TitleSearches = NO_TITLES,
    settings: ListSettings = NO_SETTINGS,
    related?: RelatedFields
  ): ListParameters {
    const { resource } = view
    const given = new URLSearchParams(query)
    const namesNothing = given.size === 0 || settings.open !== null
    const usual = namesNothing ? usualRows(view, settings.rows) : DEFAULT_ROWS
    const list = readListInput(
      resource,
      urlListInput(view, given, usual),
      adminListRules(view, titles, related)
    )
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
      ...readFigures(view, {
        summary: lastIn(given, SUMMARY),
        groupBy: lastIn(given, GROUP_BY),
        chart: lastIn(given, CHART),
      }),
      settings,
      related,
    })
  }

  /** Returns a copy of the parameters with some values replaced. */
  with(values: Partial<Paged & Found & Shown>): ListParameters {
    return new ListParameters(this.view, { ...this, ...values })
  }

  /** First sort column of the URL; null for the default order of the view */
  get sort(): Sort | null {
    return this.sorting[0] ?? null
  }

  /** Effective order: from the URL, otherwise from the view, otherwise newest first. */
  get sorts(): readonly Sort[] {
    const { key, sortable } = this.view.resource
    if (this.sorting.length > 0) return this.sorting
    const usual = readSorts(splitSorts(this.view.options.defaultSort), sortable, () => {})
    if (usual.length > 0) return usual
    return key.columns.map((part) => ({ column: part, direction: 'desc' }))
  }

  /**
   * Conditions of the list: the fixed ones, those of the search and those of the filters. Invalid filters and searches
   * are left out.
   */
  get conditions(): readonly Condition[] {
    const { condition, filters, fixed } = this
    const searched = [...(condition ? [condition] : []), ...(this.#wordConditions ?? [])]
    return [...fixed, ...searched, ...conditionsOf(filters)]
  }

  /** True if the search text can't be searched for and is ignored. */
  get isUnsearchable(): boolean {
    return (this.search !== '' && !this.condition) || this.#wordConditions === null
  }

  /** Invalid filters, which are ignored. */
  get errors(): readonly ReadFilter[] {
    return this.filters.filter(({ error }) => error !== null)
  }

  /**
   * True if the list contains more records than requested because an invalid part of the query is ignored. No action
   * on all records is allowed then.
   */
  get isUnread(): boolean {
    return this.isUnsearchable || this.settings.isGone || this.errors.length > 0
  }

  /** Names of the columns to show; null for the default columns of the model's list. */
  get shownColumns(): readonly string[] | null {
    return this.columns ?? this.settings.columns
  }

  /** Summaries to show: from the URL, otherwise from the view. */
  get shownSummaries(): readonly Summary[] {
    return this.summaries ?? usualSummaries(this.view)
  }

  /** True if the list differs from the current saved view. */
  get isChanged(): boolean {
    return this.#nextToView.length > 0
  }

  /** Complete query string of these parameters, without a reference to the saved view. */
  get wholeQuery(): string {
    return new URLSearchParams(this.#fields()).toString()
  }

  /** Conditions of the search in all columns; null if the text can't be searched for */
  get #wordConditions(): readonly Condition[] | null {
    if (this.#words === undefined) {
      this.#words = this.q === '' ? [] : wordConditions(this.view, this.q, this.titles)
    }
    return this.#words
  }

  /**
   * Returns true for an unknown filter of a shared view. It may belong to a column that the viewer cannot see, so no
   * page shows its name.
   */
  isWithheld(filter: ReadFilter): boolean {
    const { open } = this.settings
    if (!open?.isShared || filter.error?.reason !== 'unknown') return false
    return new URLSearchParams(open.query)
      .getAll(filterParameter(filter.name))
      .includes(filter.text)
  }

  /** Returns the first page without some of the filters. */
  without(filter: ReadFilter | readonly ReadFilter[]): ListParameters {
    const left = new Set([filter].flat())
    return this.with({ page: 1, filters: this.filters.filter((one) => !left.has(one)) })
  }

  /** Returns the first page without the filters of a column, as used to count the values of its facet. */
  withoutColumn(column: Column): ListParameters {
    return this.without(this.ofColumn(column))
  }

  /** Returns the filters of a column that are not alternatives in a group. */
  ofColumn(column: Column): ReadFilter[] {
    return this.filters.filter((filter) => filter.column === column && filter.group === null)
  }

  /** The first page without search and filters. */
  get unfiltered(): ListParameters {
    return this.with({ page: 1, search: '', q: '', filters: [] })
  }

  /** First page of the list without a saved view and without other parameters. */
  get plain(): ListParameters {
    const settings = { ...this.settings, open: null, isGone: false }
    return new ListParameters(this.view, { rows: usualRows(this.view, settings.rows), settings })
  }

  /** Returns the first page of the list with a saved view. */
  in(open: SavedView): ListParameters {
    const settings = { ...this.settings, open, isGone: false }
    return ListParameters.read(this.view, open.query, SEARCH, NO_TITLES, settings, this.related)
  }

  /** Returns the request for the CRUD object. */
  toRequest(extent: Partial<Pick<ListRequest, 'fields' | 'include' | 'count'>> = {}): ListRequest {
    return new ListRequest(
      this.conditions,
      this.sorts,
      pageOf(this.page, this.rows),
      this.deleted,
      extent
    )
  }

  /** URL of the list, without default values. */
  get url(): string {
    return this.urlOf(this.page)
  }

  /** Query string of the list without default values and page, in canonical form. */
  get query(): string {
    this.#query ??= written(this.#placed())
    return this.#query
  }

  /** Returns the URL of the first page of this list in another order. */
  sortedUrl(sorting: readonly Sort[]): string {
    if (this.settings.open || this.settings.defaultId !== null)
      return this.with({ page: 1, sorting }).url
    this.#unsorted ??= [written(this.#narrowing()), written(rowsFields(this.rows))]
    const [before, after] = this.#unsorted
    return this.#address(joined(before, written(sortFields(sorting)), after))
  }

  /** Returns the URL of a page of this list. */
  urlOf(page: number): string {
    return this.#address(joined(this.query, page > 1 ? `page=${page}` : ''))
  }

  /**
   * Returns the URL of a page below the list, with the list's query.
   *
   * @param more  additional parameters
   */
  urlBelow(path: string, more: Record<string, string> = {}): string {
    const query = joined(this.query, new URLSearchParams(more).toString())
    return this.view.url(path) + (query === '' ? '' : `?${query}`)
  }

  #address(query: string): string {
    return (this.base ?? this.view.url('/')) + (query === '' ? '' : `?${query}`)
  }

  /** All parameters except the search that the search form replaces, for the hidden inputs of the form. */
  get arrangement(): Field[] {
    const isStored = this.search !== '' && this.q !== ''
    const fields = this.#placed().filter(
      ([name]) => name !== SEARCHED && name !== SEARCH && (name !== 'q' || isStored)
    )
    /* A search in one column replaces the search of the saved view, whose `q` is therefore reset. */
    const isOfView = this.#viewFields.some(([name]) => name === 'q')
    return isOfView && !isStored ? [...fields, ['q', '']] : fields
  }

  /** Returns all parameters, or the current saved view and the parameters that differ from it. */
  #placed(): Field[] {
    const { open, defaultId } = this.settings
    if (open) return [['view', String(open.id)], ...this.#nextToView] as Field[]
    const fields = this.#fields()
    if (fields.length > 0) return fields
    if (defaultId !== null) return [['view', ALL_RECORDS]]
    const isUsual = this.rows === usualRows(this.view, this.settings.rows)
    return isUsual ? [] : [[ROWS, String(this.rows)]]
  }

  get #nextToView(): ReadonlyArray<readonly [string, string]> {
    if (!this.settings.open) return []
    this.#changes ??= fieldsOutsideView(this.#viewFields, this.#fields())
    return this.#changes
  }

  /**
   * Parameters of the saved view, parsed with the viewer's permissions, which may include less than those of the view's
   * owner
   */
  get #viewFields(): Field[] {
    const { open } = this.settings
    if (!open) return []
    const { settings, related } = this
    return ListParameters.read(
      this.view,
      open.query,
      SEARCH,
      NO_TITLES,
      settings,
      related
    ).#fields()
  }

  #fields(): Field[] {
    return [...this.#narrowing(), ...sortFields(this.sorting), ...rowsFields(this.rows)]
  }

  #narrowing(): Field[] {
    const filters = this.filters.filter((filter) => !this.isWithheld(filter))
    return narrowingFields({ ...this, filters })
  }
}
