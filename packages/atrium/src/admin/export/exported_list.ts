import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { LucidCrud, type Item } from '#crud'
import {
  countMatching,
  listBatches,
  ListRequest,
  orderedParts,
  pageOf,
  Records,
} from '#crud/internals'
import { selectFields, type Fields } from '#base/columns/fields'
import type { Condition } from '#base/columns/condition'
import type { Site } from '../views/site.js'
import { ExportRefused, selectedRecords } from './export_choice.js'
import { readColumns } from '../list/columns/column_choices.js'
import type { ListParameters } from '../list/list_parameters.js'
import { readList, type ListSite } from '../list/read_list.js'
import { unreadPart } from '../list/empty_state.js'
import type { ModelView } from '../views/model_view.js'
import { exportColumns, fieldsOf, type ExportColumn } from './export_columns.js'

/*
 * Number of rows per batch, which takes a few milliseconds; requests are handled between two batches. Larger batches
 * stay in memory longer, which increases the memory use.
 */
const ROWS_PER_PART = 250

/*
 * Batch size for custom code that reads a list, which can expect pages no longer than those of the site.
 */
const ROWS_OF_OWN_CODE = 100

/** The list to export. */
export interface WantedList {
  /** Query of the list */
  query: string
  /**
   * Names of the columns; `all`: all fields of responses. Default: the columns that the list shows
   */
  columns?: readonly string[] | 'all'
  titles: boolean
  /**
   * Key paths of the records that were selected in the list, which are exported even if they no longer match the
   * filters of the list. Default: all records of the list
   */
  selected?: readonly string[] | null
  /** True to apply the user's default view if the query is empty, like the list itself */
  opensDefault?: boolean
}

/**
 * The records and columns of a list, on all pages, as far as the user is allowed to export them.
 */
export class ExportedList {
  private constructor(
    readonly ctx: HttpContext,
    readonly view: ModelView,
    readonly parameters: ListParameters,
    readonly columns: readonly ExportColumn[],
    /** Names of the columns, for the payload of a job */
    readonly names: readonly string[] | 'all' | undefined,
    private readonly conditions: readonly Condition[],
    readonly selected: readonly string[] | null,
    /** True if the roles allow the user to export fewer records than to view */
    readonly isNarrowed: boolean
  ) {}

  /**
   * @param view  view with the permissions of the user's roles
   * @throws ExportRefused  for a query with an invalid filter, and for unknown columns
   */
  static async read(
    ctx: HttpContext,
    site: ListSite,
    view: ModelView,
    { query, columns, titles, selected = null, opensDefault = false }: WantedList
  ): Promise<ExportedList> {
    if (!view.resource.isLoaded) await view.resource.load()
    refuseUnknownColumns(view, query)
    const parameters = await readList(ctx, site, view, query, undefined, opensDefault)
    refuseUnread(site, view, parameters, query)
    const shown = parameters.shownColumns ?? undefined
    const names = columns ?? shown
    const exported = await exportColumns(
      ctx,
      site,
      view,
      names === 'all' ? fieldsOf(view) : (names ?? null),
      titles
    )
    const { actor } = view.callOptions(ctx)
    const reach = await site.permissions.reachOf(actor, view.name, 'export')
    const reached = reach && new Records(view.resource).reachedBy(reach)
    const wanted = selected ? [selectedRecords(view, selected)] : parameters.conditions
    const conditions = [...wanted, ...(reached ? [reached] : [])]
    const isNarrowed = reach !== null
    return new ExportedList(
      ctx,
      view,
      parameters,
      exported,
      names,
      conditions,
      selected,
      isNarrowed
    )
  }

  /**
   * Returns the number of records.
   *
   * @param client  client that the records are read with
   * @returns null if the policy needs the record, and too many records would have to be authorized
   * @throws Problem 403
   */
  async count(client?: QueryClientContract): Promise<number | null> {
    const options = this.#options(client)
    if (this.#isPlain) {
      const { deleted } = this.parameters
      const wanted = { conditions: this.conditions, deleted }
      return await countMatching(new Records(this.view.resource), wanted, options)
    }
    const { total_count: total = null } = await this.view.crud.getMulti(this.#page(1), options)
    return total
  }

  /**
   * Yields the records, in order, in batches.
   *
   * @param client  client of a snapshot, for a consistent result
   * @throws Problem 403
   */
  batches(client: QueryClientContract): AsyncGenerator<Item[], void> {
    const options = this.#options(client)
    const { crud } = this.view
    if (!this.#isPlain) return this.#pages(client)
    const paging = { shape: 'offset', offset: 0, limit: Number.MAX_SAFE_INTEGER } as const
    const request = this.#request(paging)
    const parts = orderedParts(new Records(this.view.resource), request, options)
    return listBatches(request, (part) => crud.getMulti(part, options), ROWS_PER_PART, parts)
  }

  /** Reads page by page, because custom code can support only pages. */
  async *#pages(client: QueryClientContract): AsyncGenerator<Item[], void> {
    for (let page = 1; ; page++) {
      const { data } = await this.view.crud.getMulti(this.#page(page), this.#options(client))
      if (data.length > 0) yield data
      if (data.length < ROWS_OF_OWN_CODE) return
    }
  }

  #page(page: number): ListRequest {
    return this.#request(pageOf(page, ROWS_OF_OWN_CODE))
  }

  #request(paging: ListRequest['paging']): ListRequest {
    const { deleted, sorts } = this.parameters
    return new ListRequest(this.conditions, sorts, paging, deleted, { fields: this.#fields })
  }

  get #isPlain(): boolean {
    return this.view.crud.getMulti === LucidCrud.prototype.getMulti
  }

  /** Fields to read. Undefined, for all fields, if custom code gets the records. */
  get #fields(): Fields | undefined {
    if (!this.#isPlain || this.columns.some(({ isOwn }) => isOwn)) return undefined
    const names = this.columns.flatMap(({ reads }) => reads)
    return selectFields(this.view.resource, names)
  }

  #options(client?: QueryClientContract) {
    const options = this.view.callOptions(this.ctx)
    return {
      ...options,
      client: client ?? options.client,
      keys: this.columns.some((one) => one.isOwn),
    }
  }
}

/**
 * Rejects unknown columns. A saved view can contain columns that its owner sees but the user does not.
 */
function refuseUnknownColumns(view: ModelView, query: string): void {
  const { unknown } = readColumns(view, new URLSearchParams(query).getAll('columns'))
  if (unknown.length === 0) return
  throw new ExportRefused('export.errors.columns', { names: unknown.slice(0, 5).join(', ') })
}

function refuseUnread(
  site: Site,
  view: ModelView,
  parameters: ListParameters,
  query: string
): void {
  const unread = unreadPart(site, view, parameters, query)
  if (!unread) return
  if ('filter' in unread) throw new ExportRefused('export.errors.filter', { error: unread.filter })
  if ('search' in unread) throw new ExportRefused('export.errors.search', { text: unread.search })
  throw new ExportRefused('export.errors.view')
}
