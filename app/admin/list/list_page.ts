import { setImmediate } from 'node:timers/promises'
import type { HttpContext } from '@adonisjs/core/http'
import { LucidCrud } from '#crud'
import type { ListResult } from '#crud/operations/list'
import type { Fields } from '#crud/request/fields'
import type { Column } from '#crud/resource/column'
import type { DeletedMode } from '#crud/resource/soft_delete'
import type { Item } from '#crud/types'
import type { AdminSite } from '../admin_site.js'
import { bulkBar, type BulkBar } from '../bulk/bulk_bar.js'
import type { Flash } from '../http/flash.js'
import { inSentence } from '../text/in_sentence.js'
import type { ModelView } from '../model_view.js'
import { offersOf, type Offer } from '../permissions/may.js'
import { cutText, LONGEST_TITLE } from './cell.js'
import { emptyState, type EmptyState } from './empty_state.js'
import { ListParameters, ROWS_OFFERED, searchableColumns } from './list_parameters.js'
import {
  ListTable,
  NO_JOINS,
  type Heading,
  type Joined,
  type Joins,
  type Row,
} from './list_table.js'
import { pagerOf, type Pager } from './pager.js'
import { rowsMarkup } from './rows_markup.js'

/**
 * What the templates of a list know. The names in snake case are the specification's. [S34]
 */
export interface ListData extends Record<string, unknown> {
  items: Item[]
  model_name: string
  table_columns: string[]
  /** Null where the policy looks at records, and there are too many of them to be counted [P14] */
  total_items: number | null
  current_page: number
  rows_per_page: number
  selected_column: string | null
  primary_key_info: {
    /** Of the first key column; the others of a composite key stand in `columns` */
    name: string
    type: string
    columns: Array<{ name: string; type: string }>
  }
  mount_path: string
  sort_column: string | null
  sort_order: 'asc' | 'desc' | null
  allowed_actions: string[]

  view: ModelView
  parameters: ListParameters
  headings: Heading[]
  rows: Row[]
  /** The same as the table has them */
  rowsMarkup: string
  pager: Pager
  /** Whether the data could not be read [S33] */
  failed: boolean
  /** What can be done with selected records; null where that is nothing */
  bulk: BulkBar | null
  /** Number of the first and of the last record shown, from 1 */
  range: { from: number; to: number }
  searchable: Array<{ name: string; label: string; selected: boolean }>
  /** Why what was typed is not searched for, if that is so */
  unsearchable: string | null
  /** What is said where no record is */
  empty: EmptyState
  links: {
    create: string | null
    /** The list without its search */
    all: string
    rows: Array<{ rows: number; url: string }>
    /** Empty where nothing is deleted softly */
    deleted: Array<{ mode: string; url: string }>
  }
  /** What records are called in a sentence */
  words: { one: string; many: string }
}

interface Found {
  items: Item[]
  total: number | null
  /** The number of the last page; where nothing is counted, of the last one that is known of */
  last: number
  parameters: ListParameters
  failed: boolean
  /** What the items are set in, where it could be begun while the database still counted */
  shown?: Promise<ShownRows>
}

type Offers = ReadonlySet<Offer>

type ShownRows = Pick<ListData, 'rows' | 'rowsMarkup'>

/**
 * The list of a model: from a query string to what the page shows. [S27 to S35]
 */
export class ListPage {
  readonly #table: ListTable
  /* The same for all who may do the same, and long to put into words. */
  readonly #bars = new Map<string, BulkBar | null>()
  #searches: Array<{ column: Column; label: string }> | undefined

  constructor(
    private readonly site: AdminSite,
    private readonly view: ModelView
  ) {
    this.#table = new ListTable(site, view)
  }

  /**
   * What the request's query string asks for.
   *
   * @throws Problem 403  when the policy refuses it
   */
  async data(ctx: HttpContext, asked: ListParameters = this.parametersOf(ctx)): Promise<ListData> {
    const { resource } = this.view
    const offers = await offersOf(ctx, this.view)
    const finding = this.#find(ctx, asked, offers)
    /* If it fails already here, it still is the await below that throws. */
    finding.catch(() => {})
    /* What does not depend on the records is made while the database works, which it does from here. */
    await setImmediate()
    const surroundings = this.#surroundings(asked, offers)
    const { items, total, last, parameters, failed, shown: begun } = await finding
    const shown = await (begun ?? this.#shown(ctx, items, parameters, offers))
    const keys = resource.key.columns.map(({ wire, kind }) => ({ name: wire, type: kind }))
    const first = (parameters.page - 1) * parameters.rows
    return {
      items,
      model_name: this.view.name,
      table_columns: this.#table.names,
      total_items: total,
      current_page: parameters.page,
      rows_per_page: parameters.rows,
      selected_column: parameters.column?.wire ?? null,
      primary_key_info: { ...keys[0], columns: keys },
      mount_path: this.site.mountPath,
      sort_column: parameters.sort?.column.wire ?? null,
      sort_order: parameters.order,
      allowed_actions: [...this.view.allowedActions].filter((action) => offers.has(action)),

      view: this.view,
      parameters,
      pager: pagerOf(parameters, last),
      failed,
      range: { from: Math.min(first + 1, first + items.length), to: first + items.length },
      ...shown,
      ...surroundings,
      empty: emptyState(this.site, parameters, {
        failed,
        words: surroundings.words,
        links: surroundings.links,
        label: this.#searchLabel(parameters),
      }),
    }
  }

  /**
   * The part of the page that changes, as its address has it.
   *
   * @param done  what an action did, to be said in it
   */
  async content(ctx: HttpContext, done?: Flash): Promise<string> {
    return await this.render(ctx, await this.data(ctx), done)
  }

  /**
   * The same, of data that is there already.
   */
  async render(ctx: HttpContext, data: ListData, done?: Flash): Promise<string> {
    return await this.site.render(ctx, 'partials/list_content', { ...data, done })
  }

  parametersOf({ request }: HttpContext): ListParameters {
    return ListParameters.read(this.view, request.parsedUrl.query ?? '')
  }

  /** What stands around the records, whichever page of them it is. */
  #surroundings(parameters: ListParameters, offers: Offers) {
    return {
      headings: this.#table.headings(parameters),
      bulk: this.#bulk(parameters.deleted, offers),
      searchable: this.#searchable(parameters),
      unsearchable: this.#unsearchable(parameters),
      links: this.#links(parameters, offers),
      words: { one: inSentence(this.view.singular), many: inSentence(this.view.label) },
    }
  }

  async #find(ctx: HttpContext, parameters: ListParameters, offers: Offers): Promise<Found> {
    try {
      return await this.#read(ctx, parameters, offers)
    } catch (error) {
      /* What one may not see is no empty list. */
      if ((error as { status?: number }).status === 403) throw error
      ctx.logger.error({ err: error }, `The list of ${this.view.name} could not be read`)
      const first = parameters.with({ page: 1 })
      return { items: [], total: 0, last: 1, parameters: first, failed: true }
    }
  }

  async #read(ctx: HttpContext, parameters: ListParameters, offers: Offers): Promise<Found> {
    /* An own `getMulti` may yet change the items. */
    const isPlain = this.view.crud.getMulti === LucidCrud.prototype.getMulti
    if (!isPlain) return await this.#readWith(ctx, parameters, offers)
    const { fields } = this.#table
    const joins = await this.#table.joins(ctx, parameters)
    try {
      return await this.#readWith(ctx, parameters, offers, { fields, joins })
    } catch (error) {
      /* What others are called is not worth the list. */
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
    const list = await crud.getMulti(parameters.toRequest({ fields: plain?.fields }), {
      ...options,
      /* Of a list that shows its cells and nothing else, no more is read than they show. */
      ...(plain?.fields && { cut: LONGEST_TITLE + 1 }),
      ...(plain && {
        beside: [...plain.joins.values()].flatMap(({ beside }) => beside),
        whileCounting: (items, beside) => {
          shown = this.#shown(ctx, items, parameters, offers, { joins: plain.joins, beside })
          /* Whoever waits for them gets the error; if the list itself fails, nobody does. */
          shown.catch(() => {})
        },
      }),
    })
    const { data, total_count: total = 0 } = list
    const last = total === null ? lastKnown(list, parameters) : lastPage(total, parameters.rows)
    const found = { total, last, failed: false }
    if (parameters.page <= last) return { ...found, items: data, parameters, shown }

    const clamped = parameters.with({ page: last })
    if (total === 0) return { ...found, items: data, parameters: clamped }
    const again = await crud.getMulti(clamped.toRequest({ count: false }), options)
    if (total === null) found.last = lastKnown(again, clamped)
    return { ...found, items: again.data, parameters: clamped }
  }

  async #shown(
    ctx: HttpContext,
    items: Item[],
    parameters: ListParameters,
    offers: Offers,
    joined?: Joined
  ): Promise<ShownRows> {
    const rows = await this.#table.rows(ctx, items, parameters, joined)
    const hasCheckboxes = this.#bulk(parameters.deleted, offers) !== null
    const mark = this.site.text('list.deleted.mark')
    return { rows, rowsMarkup: rowsMarkup(rows, this.#table.styles, { hasCheckboxes, mark }) }
  }

  #bulk(deleted: DeletedMode, offers: Offers): BulkBar | null {
    const id = [deleted, ...offers].join(' ')
    let bar = this.#bars.get(id)
    if (bar === undefined) {
      bar = bulkBar(this.site, this.view, deleted, offers)
      this.#bars.set(id, bar)
    }
    return bar
  }

  /** Where nothing is said, it is by what records are called. */
  #searchable({ column }: ListParameters) {
    this.#searches ??= searchableColumns(this.view).map((one) => ({
      column: one,
      label: this.#table.searchLabel(one.wire),
    }))
    const columns = this.#searches.map((one) => one.column)
    const { titleColumn } = this.view
    const chosen = [column, titleColumn].find((one) => columns.includes(one!)) ?? columns[0]
    return this.#searches.map(({ column: one, label }) => ({
      name: one.wire,
      label,
      selected: one === chosen,
    }))
  }

  #searchLabel({ column }: ListParameters): string {
    return column ? this.#table.searchLabel(column.wire) : ''
  }

  #unsearchable(parameters: ListParameters): string | null {
    if (parameters.search === '' || parameters.condition) return null
    return this.site.text('list.search.impossible', {
      text: cutText(parameters.search),
      label: this.#searchLabel(parameters),
    })
  }

  #links(parameters: ListParameters, offers: Offers): ListData['links'] {
    const first = parameters.with({ page: 1 })
    const offered = [...new Set([...ROWS_OFFERED, parameters.rows])].sort((one, two) => one - two)
    const modes = this.view.resource.softDelete ? (['exclude', 'include', 'only'] as const) : []
    return {
      create: offers.has('create') ? this.view.url('/create_page') : null,
      all: first.with({ search: '' }).url,
      rows: offered.map((rows) => ({ rows, url: first.with({ rows }).url })),
      deleted: modes.map((deleted) => ({ mode: deleted, url: first.with({ deleted }).url })),
    }
  }
}

/** Without a count: the next page if there is one, and the first for who asks for one beyond the end. */
function lastKnown({ data, has_more: more }: ListResult, { page }: ListParameters): number {
  if (data.length === 0) return 1
  return more ? page + 1 : page
}

function lastPage(total: number, rows: number): number {
  return Math.max(1, Math.ceil(total / rows))
}
