import { setImmediate } from 'node:timers/promises'
import type { HttpContext } from '@adonisjs/core/http'
import { LucidCrud, type Item } from '#crud'
import { mapInTurns } from '#base/event_loop'
import type { Fields } from '#base/columns/fields'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { KeyValue } from '#base/columns/key'
import { matchingOffer, bulkBar, type BulkBar } from '../bulk/bulk_bar.js'
import { type Flash, withUndo } from '../http/flash.js'
import { mayImport } from '../import/import_access.js'
import { inSentence } from '../text/plain_text.js'
import AdminAccessToken from '../models/admin_access_token.js'
import type { ModelView } from '../views/model_view.js'
import { BoundedMap } from '#base/bounded_map'
import { offersOf, type Offer } from '../permissions/may.js'
import { LONGEST_TITLE } from './cell.js'
import { editedFields, itemsOfPage } from '../cells/edited_fields.js'
import { columnChoices } from './columns/column_choices.js'
import { emptyState, filterNotes } from './empty_state.js'
import { filterBar } from './filters/filter_bar.js'
import type { ListParameters } from './list_parameters.js'
import { ListSearch } from './list_search.js'
import { ROWS_OFFERED, usualRows } from '../views/page_size.js'
import {
  rowMoves,
  markedRecord,
  rowActions,
  withList,
  readList,
  type ListSite,
} from './read_list.js'
import { ListTable, ROWS_A_TURN } from './list_table.js'
import { type Row, NO_JOINS, type Joined, type Joins } from './table_columns.js'
import { lastKnown, lastPage, pagerOf } from './pager.js'
import { rowsMarkup } from './rows_markup.js'
import { viewsBar } from './saved_views/views_bar.js'
import { listGroups } from './summaries/list_groups.js'
import { listSummary } from './summaries/list_summary.js'

/*
 * Number of records up to which the total is counted; a higher total is an estimate, so that counting takes less than a
 * second
 */
const COUNTED = 1_000_000

/* Maximum number of cached tables with custom columns */
const MOST_TABLES = 50

interface Found {
  items: Item[]
  total: number | null
  isEstimate?: boolean
  /** Number of the last page; without a total count, of the last known page */
  last: number
  parameters: ListParameters
  failed: boolean
  /** Rendered rows, if rendering started before the count was known */
  shown?: Promise<ShownRows>
}

type Offers = ReadonlySet<Offer>

interface ShownRows {
  rows: Row[]
  /** Markup of the rows */
  rowsMarkup: string
}

/** Variables of the list templates. Names in snake case are those documented for custom templates. */
export type ListData = Awaited<ReturnType<ListPage['data']>>

/** Prepares and renders the list of a model from a query string. */
export class ListPage {
  readonly #table: ListTable
  /* Cached tables for custom selections of columns, by column names */
  readonly #tables = new BoundedMap<string, ListTable>(MOST_TABLES)
  /* Cached by the viewer's permissions, as formatting the texts is slow. */
  readonly #bars = new Map<string, BulkBar | null>()
  #search: ListSearch | undefined

  constructor(
    private readonly site: ListSite,
    private readonly view: ModelView
  ) {
    this.#table = new ListTable(site, view)
  }

  /**
   * Returns the template variables for the requested list.
   *
   * @throws Problem 403  if the policy refuses listing
   */
  async data(ctx: HttpContext, given?: ListParameters) {
    const { resource } = this.view
    const requested = given ?? (await this.parametersOf(ctx))
    const offers = await offersOf(ctx, this.view)
    const isImported = requested.base === null && (await mayImport(ctx, this.view))
    const finding = this.#find(ctx, requested, offers)
    /* Prevents an unhandled rejection; the error is thrown by the await below. */
    finding.catch(() => {})
    const bar = filterBar(ctx, this.site, this.view, requested)
    bar.catch(() => {})
    const groups = listGroups(ctx, this.site, requested)
    const summary = groups.then((found) => listSummary(ctx, this.site, requested, found?.totals))
    summary.catch(() => {})
    /* Prepares what does not depend on the records while the query runs. */
    await setImmediate()
    const surroundings = this.#surroundings(requested, offers, isImported)
    const { items, total, isEstimate, last, parameters, failed, shown: begun } = await finding
    const shown = await (begun ?? this.#shown(ctx, items, parameters, offers))
    const keys = resource.key.columns.map(({ apiName, kind }) => ({ name: apiName, type: kind }))
    const first = (parameters.page - 1) * parameters.rows
    const range = { from: Math.min(first + 1, first + items.length), to: first + items.length }
    return {
      items,
      model_name: this.view.name,
      table_columns: this.#tableOf(parameters).names,
      /* Null if the policy checks each record and there are too many records to count. */
      total_items: total,
      current_page: parameters.page,
      rows_per_page: parameters.rows,
      selected_column: parameters.column?.apiName ?? null,
      /* Name and type of the first key column, and all columns of a composite key */
      primary_key_info: { ...keys[0], columns: keys },
      mount_path: this.site.mountPath,
      sort_column: parameters.sort?.column.apiName ?? null,
      sort_order: parameters.order,
      allowed_actions: [...this.view.allowedActions].filter((action) => offers.has(action)),

      view: this.view,
      parameters,
      pager: pagerOf(parameters, last),
      failed,
      /* Numbers of the first and last shown record, starting at 1 */
      range,
      ...this.#totals(parameters, range, total, isEstimate),
      ...shown,
      ...surroundings,
      filterBar: await bar,
      summary: await summary,
      groups: await groups,
      /* Offer to select all records on all pages, if that is possible */
      matching:
        surroundings.bulk &&
        matchingOffer(this.site, parameters, isEstimate ? null : total, items.length),
      views: viewsBar(ctx, this.site, parameters),
      empty: emptyState(this.site, parameters, {
        failed,
        isScoped: this.view.resource.scope !== undefined,
        isOfTokens: this.view.model === AdminAccessToken,
        words: surroundings.words,
        links: surroundings.links,
        label: this.search.label(parameters),
      }),
    }
  }

  /** Returns the text with the number of records, and the text with the range of records on the page. */
  #totals(
    { base, conditions }: ListParameters,
    range: { from: number; to: number },
    total: number | null,
    isEstimate = false
  ) {
    const text = (kind: 'range' | 'total', exact: string) => {
      const uncounted = kind === 'range' ? 'rangeUncounted' : 'uncounted'
      const key = total === null ? uncounted : isEstimate ? `${kind}Estimate` : exact
      return this.site.text(`list.${key}`, { ...range, total, count: total })
    }
    const isNarrowed = base === null && conditions.length > 0
    return {
      rangeText: text('range', 'range'),
      totalText: text('total', isNarrowed ? 'found' : 'total'),
    }
  }

  /**
   * Renders the content of the page.
   *
   * @param done  success message of an action, to be shown in the content
   */
  async content(ctx: HttpContext, done?: Flash): Promise<string> {
    const toast = done && (await withUndo(ctx, done))
    return await this.render(ctx, await this.data(ctx), toast)
  }

  /** Renders the content from loaded data. */
  async render(ctx: HttpContext, data: ListData, done?: Flash): Promise<string> {
    return await this.site.render(ctx, 'partials/list_content', { ...data, done })
  }

  /**
   * Parses the URL of the request.
   *
   * @param search  name of the parameter with the search text
   */
  async parametersOf(ctx: HttpContext, search?: string): Promise<ListParameters> {
    const query = ctx.request.parsedUrl.query ?? ''
    return await readList(ctx, this.site, this.view, query, search, true)
  }

  /** Returns the table with the columns of the URL, the saved view or the viewer's preference. */
  #tableOf({ shownColumns }: ListParameters): ListTable {
    if (shownColumns === null) return this.#table
    const { all } = columnChoices(this.view)
    const known = shownColumns.filter((name) => all.has(name))
    if (known.length === 0) return this.#table
    const id = JSON.stringify(known)
    let table = this.#tables.get(id)
    if (!table) this.#tables.set(id, (table = new ListTable(this.site, this.view, known)))
    return table
  }

  private get search(): ListSearch {
    const label = (name: string) => this.#table.searchLabel(name)
    return (this.#search ??= new ListSearch(this.site, this.view, label))
  }

  /** Returns the variables that do not depend on the records. */
  #surroundings(parameters: ListParameters, offers: Offers, isImported: boolean) {
    return {
      headings: this.#tableOf(parameters).headings(parameters),
      hasTimes: this.#tableOf(parameters).hasTimes,
      /* Order to which a shift-click on a heading adds a column */
      sorting: this.#tableOf(parameters).addedTo(parameters),
      bulk: this.#bulk(parameters, offers),
      cells: this.#cells(parameters, offers),
      moves: rowMoves(this.site, parameters, offers) !== null,
      searchable: this.search.columns(parameters),
      searchText: parameters.search || parameters.q,
      unsearchable: this.search.note(parameters),
      filterNotes: filterNotes(this.site, this.view, parameters),
      links: this.#links(parameters, offers, isImported),
      words: { one: inSentence(this.view.singular), many: inSentence(this.view.label) },
    }
  }

  async #find(ctx: HttpContext, parameters: ListParameters, offers: Offers): Promise<Found> {
    try {
      return await this.#read(ctx, parameters, offers)
    } catch (error) {
      /* A 403 response must not look like an empty list. */
      if ((error as { status?: number }).status === 403) throw error
      ctx.logger.error({ err: error }, `The list of ${this.view.name} could not be read`)
      const first = parameters.with({ page: 1 })
      return { items: [], total: 0, last: 1, parameters: first, failed: true }
    }
  }

  async #read(ctx: HttpContext, parameters: ListParameters, offers: Offers): Promise<Found> {
    /* A custom `getMulti` may change the items, so it gets complete records. */
    const isPlain = this.view.crud.getMulti === LucidCrud.prototype.getMulti
    if (!isPlain) return await this.#readWith(ctx, parameters, offers)
    const table = this.#tableOf(parameters)
    const { fields } = table
    const joins = await table.joins(ctx, parameters)
    try {
      return await this.#readWith(ctx, parameters, offers, { fields, joins })
    } catch (error) {
      /* If the joined query fails, the list is read without joined titles. */
      if (joins.size === 0 || (error as { status?: number }).status === 403) throw error
      return await this.#readWith(ctx, parameters, offers, { fields, joins: NO_JOINS })
    }
  }

  async #readWith(
    ctx: HttpContext,
    parameters: ListParameters,
    offers: Offers,
    plain?: { fields: Fields | undefined; joins: Joins }
  ): Promise<Found> {
    const { crud } = this.view
    const options = { ...this.view.callOptions(ctx), keys: true }
    let shown: Promise<ShownRows> | undefined
    const list = await crud.getMulti(
      parameters.toRequest({ fields: plain?.fields, count: COUNTED }),
      {
        ...options,
        /* If the list only shows plain cells, long texts are truncated in the query. */
        ...(plain?.fields && { cut: LONGEST_TITLE + 1 }),
        ...(plain && {
          extras: [...plain.joins.values()].flatMap(({ extras }) => extras),
          whileCounting: (items, extras) => {
            shown = this.#shown(ctx, items, parameters, offers, { joins: plain.joins, extras })
            /* The error is thrown where `shown` is awaited; it is ignored if the list itself fails. */
            shown.catch(() => {})
          },
        }),
      }
    )
    const { data, total_count: total = 0, total_is_estimate: isEstimate } = list
    const last = total === null ? lastKnown(list, parameters) : lastPage(total, parameters.rows)
    const found = { total, isEstimate, last, failed: false }
    if (parameters.page <= last) return { ...found, items: data, parameters, shown }

    const clamped = parameters.with({ page: last })
    if (total === 0) return { ...found, items: data, parameters: clamped }
    const again = await crud.getMulti(clamped.toRequest({ count: false }), options)
    if (total === null) found.last = lastKnown(again, clamped)
    return { ...found, items: again.data, parameters: clamped }
  }

  /**
   * Renders the row of one record as in the list, even if the record no longer belongs to the page.
   *
   * @returns null if the user can't see the record
   */
  async row(ctx: HttpContext, key: KeyValue, parameters: ListParameters): Promise<string | null> {
    const found = await itemsOfPage(ctx, this.view, key, parameters)
    if (!found) return null
    const offers = await offersOf(ctx, this.view)
    /* All rows are rendered, as the numbers of a column get the same number of decimals. */
    const { rows } = await this.#shown(ctx, found.items, parameters, offers)
    return await this.#markup([rows[found.place]], parameters, offers, null)
  }

  async #shown(
    ctx: HttpContext,
    items: Item[],
    parameters: ListParameters,
    offers: Offers,
    joined?: Joined
  ): Promise<ShownRows> {
    const table = this.#tableOf(parameters)
    const rows = await table.rows(ctx, items, parameters, joined)
    const marked = parameters.base === null ? await markedRecord(ctx, this.view) : null
    return { rows, rowsMarkup: await this.#markup(rows, parameters, offers, marked) }
  }

  async #markup(
    rows: readonly Row[],
    parameters: ListParameters,
    offers: Offers,
    marked: string | null
  ): Promise<string> {
    const hasCheckboxes = this.#bulk(parameters, offers) !== null
    const mark = this.site.text('list.deleted.mark')
    const { styles } = this.#tableOf(parameters)
    const actions = rowActions(this.site, parameters)
    const moves = rowMoves(this.site, parameters, offers)
    const options = { actions, hasCheckboxes, mark, marked, moves }
    const parts = await mapInTurns(rows, ROWS_A_TURN, (row) => rowsMarkup([row], styles, options))
    return parts.join('')
  }

  /** Returns the data to edit cells of the list in place; null if no column is editable. */
  #cells(parameters: ListParameters, offers: Offers) {
    if (parameters.base !== null || !offers.has('update')) return null
    const fields = editedFields(this.site, this.view)
    const isShown = this.#tableOf(parameters).names.some((name) => fields.has(name))
    return isShown ? { url: withList(this.view.url('/cell'), parameters), fields } : null
  }

  /**
   * Returns the bulk actions; null if the list contains records that were not requested because a filter is ignored, or
   * is a part of another page.
   */
  #bulk({ deleted, isUnread, base }: ListParameters, offers: Offers): BulkBar | null {
    return isUnread || base !== null ? null : this.#barOf(deleted, offers)
  }

  #barOf(deleted: DeletedMode, offers: Offers): BulkBar | null {
    const id = [deleted, ...offers].join(' ')
    let bar = this.#bars.get(id)
    if (bar === undefined) {
      bar = bulkBar(this.site, this.view, deleted, offers)
      this.#bars.set(id, bar)
    }
    return bar
  }

  #links(parameters: ListParameters, offers: Offers, isImported: boolean) {
    const first = parameters.with({ page: 1 })
    const usual = usualRows(this.view, null)
    const offered = [...new Set([...ROWS_OFFERED, usual, parameters.rows])].sort(
      (one, two) => one - two
    )
    const modes = this.view.resource.softDelete ? (['exclude', 'include', 'only'] as const) : []
    return {
      create: offers.has('create') ? this.view.url('/create_page') : null,
      import: isImported ? this.view.url('/import') : null,
      /* No export if the list contains records that were not requested */
      export:
        offers.has('export') && !parameters.isUnread ? first.urlBelow('/export/dialog') : null,
      print: first.urlBelow('/print'),
      explain: first.urlBelow('/explain'),
      all: first.with({ search: '', q: '' }).url,
      unfiltered: first.unfiltered.url,
      anywhere: this.search.anywhere(first),
      rows: offered.map((rows) => ({ rows, url: first.with({ rows }).url })),
      deleted: modes.map((deleted) => ({ mode: deleted, url: first.with({ deleted }).url })),
    }
  }
}
