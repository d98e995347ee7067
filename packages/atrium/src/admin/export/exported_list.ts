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
import type { AdminSite } from '../admin_site.js'
import { ExportRefused } from './errors.js'
import { readColumns } from '../list/columns/column_choices.js'
import type { ListParameters } from '../list/list_parameters.js'
import { readList } from '../list/read_list.js'
import { unreadPart } from '../list/empty_state.js'
import type { ModelView } from '../views/model_view.js'
import { selectedRecords } from './export_choice.js'
import { exportColumns, fieldsOf, type ExportColumn } from './export_columns.js'

/* A few milliseconds: requests go first in between. More live longer, so that the memory grows. */
const ROWS_PER_PART = 250

/* Own code that reads a list may expect no longer pages than those of the site. */
const ROWS_OF_OWN_CODE = 100

/**
 * The list of an export.
 */
export interface WantedList {
  /** Query of the list */
  query: string
  /** Names of its columns; `all`: all that responses hold. Default: those that the list shows */
  columns?: readonly string[] | 'all'
  titles: boolean
  /** Paths of the records that were selected in the list, whatever its filters say now. Default: all of its records */
  selected?: readonly string[] | null
  /** True if the user's default view opens where the query is empty, as in the list itself */
  opensDefault?: boolean
}

/**
 * The records and columns that a list shows on all of its pages, as far as the user may export them. [D2]
 */
export class ExportedList {
  private constructor(
    readonly ctx: HttpContext,
    readonly view: ModelView,
    readonly parameters: ListParameters,
    readonly columns: readonly ExportColumn[],
    /** Names of the columns, as a job needs them */
    readonly names: readonly string[] | 'all' | undefined,
    private readonly conditions: readonly Condition[],
    readonly selected: readonly string[] | null,
    /** Which records the roles of the user let them export is narrower than what they see */
    readonly isNarrowed: boolean
  ) {}

  /**
   * @param view  as the roles of the user leave it
   * @throws ExportRefused  for a query of which something filters nothing, and for columns that there are not
   */
  static async read(
    ctx: HttpContext,
    site: AdminSite,
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
   * Number of its records.
   *
   * @param client  that its records are read by
   * @returns null if the policy takes the record, and too many would have to be authorized
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
   * Its records, in order, batch by batch.
   *
   * @param client  for records of one moment, that of a snapshot
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

  /** Own code may know pages only. */
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

  /** Undefined, for all of them, where own code is given the records. */
  get #fields(): Fields | undefined {
    if (!this.#isPlain || this.columns.some(({ isOwn }) => isOwn)) return undefined
    const known = new Set(fieldsOf(this.view))
    return selectFields(
      this.view.resource,
      this.columns.flatMap(({ name }) => (known.has(name) ? [name] : []))
    )
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

/** Those of a view that is open may be columns that its owner sees, and the user does not. */
function refuseUnknownColumns(view: ModelView, query: string): void {
  const { unknown } = readColumns(view, new URLSearchParams(query).getAll('columns'))
  if (unknown.length === 0) return
  throw new ExportRefused('export.errors.columns', { names: unknown.slice(0, 5).join(', ') })
}

function refuseUnread(
  site: AdminSite,
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
