import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#base/columns/column'
import { MOST_CONDITIONS } from '#base/columns/filter'
import type { AdminSite } from '../../admin_site.js'
import { UnreadableText } from '../../text/unreadable_text.js'
import type { ModelView } from '../../views/model_view.js'
import { readLocal } from '../../time/local_time.js'
import { presentZone, UTC } from '../../time/time_zone.js'
import { why } from '../empty_state.js'
import { filterParameter } from '../list_address.js'
import type { ListParameters } from '../list_parameters.js'
import { readList } from '../read_list.js'
import { requestedIn, FIELDS, madeFor, valueFields, type Requested } from './filter_form.js'
import { filterOf } from './filter_words.js'
import { facetsOf } from './facet_values.js'
import { redirect } from '../../http/redirect.js'

/**
 * The form to add a filter to a list. The URL contains the list's query. Each step renders the same form with more
 * fields; the last one redirects to the list with the filter. [L2]
 */
export class FilterController {
  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {}

  async show(ctx: HttpContext): Promise<unknown> {
    const { request, response } = ctx
    response.vary('HX-Request')
    const query = request.parsedUrl.query ?? ''
    const given = new URLSearchParams(query)
    const parameters = await readList(ctx, this.site, this.view, query)
    const requested = await requestedIn(ctx, this.site, this.view, given)
    const isFull = parameters.filters.length >= MOST_CONDITIONS
    if (!given.has(FIELDS.apply) || !requested?.isComplete || isFull) {
      return await this.#form(ctx, parameters, requested)
    }
    const added = await this.#added(ctx, parameters, requested)
    if (typeof added === 'string') {
      response.status(422)
      return await this.#form(ctx, parameters, requested, added)
    }
    return this.#leave(ctx, added.url)
  }

  /** Returns the list with the filter, or an error message. */
  async #added(
    ctx: HttpContext,
    parameters: ListParameters,
    { column, operator, shape, values }: Requested
  ): Promise<ListParameters | string> {
    const text = (key: string, data?: Record<string, string>) =>
      this.site.text(`list.filters.form.${key}`, data)
    const isEmpty = values.length === 0 || values.some((value) => value === '')
    if (shape !== 'none' && isEmpty) return text('needed')
    const stored = storedValues(column, values)
    if (typeof stored === 'string') return text('wrong', { message: stored })
    const [name, value] = filterOf(column, operator, stored)
    const wanted = new URLSearchParams([[filterParameter(name), value]]).toString()
    const { filters } = await readList(ctx, this.site, this.view, wanted)
    const [filter] = filters
    if (filter?.error?.reason === 'value') {
      return text('wrong', { message: why(this.site, this.view, filter).replace(/^it /, '') })
    }
    if (!filter || filter.error) return filter ? why(this.site, this.view, filter) : text('needed')
    return parameters.with({ page: 1, filters: [...parameters.filters, filter] })
  }

  /** Redirects to the list; htmx loads the list into the current page. */
  #leave(ctx: HttpContext, url: string): void {
    if (ctx.request.header('hx-request') === undefined) return redirect(ctx, url)
    const location = { path: url, target: '#list-content', swap: 'outerHTML' }
    ctx.response.header('hx-location', JSON.stringify(location)).send('')
  }

  async #form(
    ctx: HttpContext,
    parameters: ListParameters,
    requested: Requested | null,
    error?: string
  ): Promise<string> {
    const isPart = ctx.request.header('hx-request') !== undefined
    const { fields } = this.view.resource
    return await this.site.render(ctx, isPart ? 'partials/filter_form' : 'pages/filter', {
      view: this.view,
      title: this.site.text('list.filters.form.title'),
      action: this.view.url('/filter'),
      back: parameters.url,
      isFull: parameters.filters.length >= MOST_CONDITIONS,
      names: FIELDS,
      hidden: [...new URLSearchParams(parameters.query)],
      columns: fields.map((column) => ({
        name: column.apiName,
        label: this.#columnLabel(column.apiName),
        selected: column === requested?.column,
      })),
      operators: (requested?.operators ?? []).map((operator) => ({
        name: operator,
        label: this.#operatorLabel(requested!, operator),
        selected: operator === requested!.operator,
      })),
      made: requested && madeFor(requested.column, requested.shape),
      fields: requested ? await valueFields(ctx, this.site, this.view, requested, error) : [],
      error: requested?.shape === 'none' ? error : undefined,
    })
  }

  /** Returns the label of a column. Columns with the same label are distinguished by their names. */
  #columnLabel(apiName: string): string {
    const label = this.view.labelOf(apiName)
    const { fields } = this.view.resource
    const isTaken = fields.some(
      (other) => other.apiName !== apiName && this.view.labelOf(other.apiName) === label
    )
    return isTaken ? `${label} (${apiName})` : label
  }

  #operatorLabel({ column }: Requested, operator: string): string {
    const isOrder = ['gt', 'gte', 'lt', 'lte'].includes(operator)
    const suffix = { date: 'Day', datetime: 'Moment', time: 'Moment' }[column.kind as string]
    const key = isOrder && suffix ? operator + suffix : operator
    return this.site.text(`list.filters.form.operators.${key}`)
  }
}

/**
 * Converts submitted values to the format of the API. Datetimes are entered in the viewer's time zone and converted
 * to UTC. [R12]
 *
 * @returns the values, or an error message that continues "it ..."
 */
function storedValues({ kind }: Column, values: readonly string[]): readonly string[] | string {
  if (kind !== 'datetime' || presentZone() === UTC) return values
  try {
    return values.map((text) => readLocal(text) ?? text)
  } catch (error) {
    if (error instanceof UnreadableText) return error.message
    throw error
  }
}

/** The facets of a list: next to the list for htmx, otherwise as a page. The URL contains the list's query. [L3] */
export class FacetsController {
  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {}

  async show(ctx: HttpContext): Promise<string> {
    ctx.response.vary('HX-Request')
    const query = ctx.request.parsedUrl.query ?? ''
    const parameters = await readList(ctx, this.site, this.view, query)
    const facets = await facetsOf(ctx, this.site, parameters)
    const isPart = ctx.request.header('hx-request') !== undefined
    return await this.site.render(ctx, isPart ? 'partials/facets' : 'pages/facets', {
      view: this.view,
      title: this.site.text('list.facets.title', { label: this.view.label }),
      facets,
      isPart,
      back: parameters.url,
    })
  }
}
