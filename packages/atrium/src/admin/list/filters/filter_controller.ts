import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#base/columns/column'
import type { ReadFilter } from '#base/columns/filter'
import type { Site } from '../../views/site.js'
import { UnreadableText } from '../../text/errors.js'
import type { ModelView } from '../../views/model_view.js'
import { readLocal } from '../../time/local_time.js'
import { presentZone, UTC } from '../../time/time_zone.js'
import { why } from '../empty_state.js'
import { filterParameter, lastIn } from '../list_address.js'
import type { ListParameters } from '../list_parameters.js'
import { readList, type ListSite, relatedColumns } from '../read_list.js'
import { requestedIn, FIELDS, madeFor, valueFields, type Requested } from './filter_form.js'
import { filterOf, plainOperator, type ChosenOperator } from './form_operators.js'
import { isFull, targetFields, targetIn, withFilter, type Target } from './filter_bar.js'
import { ticksOf, facetsOf } from './facet_values.js'
import { suggestedValues, suggestionsUrl, type Suggestions } from './suggested_values.js'
import { PageNotFound } from '../../http/errors.js'
import { redirect } from '../../http/redirect.js'

/**
 * The form for a filter of a list: a new one, an alternative to another one, or a changed one. The URL contains the
 * list's query. Each step renders the same form with more fields; the last one redirects to the list.
 */
export class FilterController {
  constructor(
    protected readonly site: ListSite,
    protected readonly view: ModelView
  ) {}

  async show(ctx: HttpContext): Promise<unknown> {
    const { request, response } = ctx
    response.vary('HX-Request')
    const query = request.parsedUrl.query ?? ''
    const given = new URLSearchParams(query)
    const parameters = await readList(ctx, this.site, this.view, query)
    const target = targetIn(parameters, given)
    const requested = await requestedIn(ctx, this.site, this.view, given, target.edited)
    const form = { parameters, target, requested, q: lastIn(given, FIELDS.q) ?? '' }
    const isSent = given.has(FIELDS.apply) && !given.has(FIELDS.find)
    if (!isSent || !requested?.isComplete || isFull(parameters, target)) {
      return await this.#form(ctx, form)
    }
    if (isNothing(requested) && given.has(FIELDS.optional)) return this.#leave(ctx, parameters.url)
    const filter = await this.#read(ctx, requested)
    if (typeof filter === 'string') {
      response.status(422)
      return await this.#form(ctx, { ...form, error: filter })
    }
    return this.#leave(ctx, withFilter(parameters, filter, target).url)
  }

  /** Returns the filter, or an error message. */
  async #read(ctx: HttpContext, requested: Requested): Promise<ReadFilter | string> {
    const text = (key: string, data?: Record<string, string>) =>
      this.site.text(`list.filters.form.${key}`, data)
    const { column, operator, shape, values, hasEmpty } = requested
    const isBlank = shape !== 'several' && values.includes('')
    if (shape !== 'none' && (isNothing(requested) || isBlank)) return text('needed')
    const stored = storedValues(column, values)
    if (typeof stored === 'string') return text('wrong', { message: stored })
    const [name, value] = filterOf(column, operator, [...stored, ...(hasEmpty ? [null] : [])])
    const wanted = new URLSearchParams([[filterParameter(name), value]]).toString()
    const { filters } = await readList(ctx, this.site, this.view, wanted)
    const [filter] = filters
    if (filter?.error?.reason === 'value') {
      return text('wrong', { message: why(this.site, this.view, filter).replace(/^it /, '') })
    }
    if (!filter) return text('needed')
    return filter.error ? why(this.site, this.view, filter) : filter
  }

  /** Redirects to the list; htmx loads the list into the current page. */
  #leave(ctx: HttpContext, url: string): void {
    if (ctx.request.header('hx-request') === undefined) return redirect(ctx, url)
    const location = { path: url, target: '#list-content', swap: 'outerHTML' }
    ctx.response.header('hx-location', JSON.stringify(location)).send('')
  }

  async #form(ctx: HttpContext, form: Form) {
    const { parameters, target, requested, q, error } = form
    const isPart = ctx.request.header('hx-request') !== undefined
    const { edited, first } = target
    const fields = [...new URLSearchParams(parameters.query), ...targetFields(target)]
    const title = edited ? 'edit' : first ? 'alternative' : 'title'
    return await this.site.render(ctx, isPart ? 'partials/filter_form' : 'pages/filter', {
      view: this.view,
      title: this.site.text(`list.filters.form.${title}`),
      action: this.view.url('/filter'),
      back: parameters.url,
      remove: edited ? parameters.without(edited).url : null,
      isEdited: edited !== undefined,
      isFull: isFull(parameters, target),
      names: FIELDS,
      hidden: fields,
      column: requested && {
        name: requested.column.apiName,
        label: this.#columnLabel(requested.column.apiName),
        change: this.#stepUrl(fields, ''),
      },
      columns: requested ? [] : await this.#columns(ctx, fields),
      operators: (requested?.operators ?? []).map((operator) => ({
        name: operator,
        label: this.#operatorLabel(requested!, operator),
        selected: operator === requested!.operator,
      })),
      made: requested && madeFor(requested.column, requested.shape),
      fields: requested ? await valueFields(ctx, this.site, this.view, requested, error) : [],
      ticks: requested?.shape === 'several' ? await this.#ticks(ctx, form, requested) : null,
      q,
      error: requested?.shape === 'none' || requested?.shape === 'several' ? error : undefined,
    })
  }

  /**
   * Returns the values to tick, counted without the filters of the column, and without the filter or group that the
   * form changes or extends.
   */
  async #ticks(ctx: HttpContext, { parameters, target, q }: Form, requested: Requested) {
    const changed = target.edited ?? target.first
    const group = changed?.group ?? null
    const alternatives = parameters.filters.filter(
      (one) => one === changed || (group !== null && one.group === group)
    )
    const others = parameters.without([...parameters.ofColumn(requested.column), ...alternatives])
    return await ticksOf(ctx, this.site, this.view, requested, others, q.trim())
  }

  /** Returns the columns to choose from: the key after the others, then those of related records. */
  async #columns(ctx: HttpContext, fields: ReadonlyArray<[string, string]>) {
    const [others, keys] = [false, true].map((isKey) =>
      this.view.resource.fields.filter(({ isPrimary }) => isPrimary === isKey)
    )
    const related = await relatedColumns(ctx, this.site, this.view)
    return [...others, ...keys, ...related].map(({ apiName }) => ({
      name: apiName,
      label: this.#columnLabel(apiName),
      url: this.#stepUrl(fields, apiName),
    }))
  }

  #stepUrl(fields: ReadonlyArray<[string, string]>, column: string): string {
    const query = new URLSearchParams([...fields, [FIELDS.column, column]])
    return `${this.view.url('/filter')}?${query}`
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

  #operatorLabel({ column }: Requested, operator: ChosenOperator): string {
    const { plain, isNegated } = plainOperator(operator)
    const isOrder = ['gt', 'gte', 'lt', 'lte'].includes(plain)
    const suffix = { date: 'Day', datetime: 'Moment', time: 'Moment' }[column.kind as string]
    const key = isOrder && suffix ? plain + suffix : plain
    return this.site.text(`list.filters.form.operators.${isNegated ? `not.${key}` : key}`)
  }
}

/** State of the filter form: the list, the filter to add or change, and the current input. */
interface Form {
  parameters: ListParameters
  target: Target
  requested: Requested | null
  /** Text with which values are searched */
  q: string
  error?: string
}

/** Returns true if no value is filled in or ticked. */
function isNothing({ shape, values, hasEmpty }: Requested): boolean {
  return shape !== 'none' && values.length === 0 && !hasEmpty
}

/**
 * Converts submitted values to the format of the API. Datetimes are entered in the viewer's time zone and converted
 * to UTC.
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

/** The facets of a list: next to the list for htmx, otherwise as a page. The URL contains the list's query. */
export class FacetsController {
  constructor(
    protected readonly site: ListSite,
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
      action: this.view.url('/filter'),
      names: FIELDS,
      back: parameters.url,
    })
  }
}

/** The values that are suggested for a text of one line, in filters and forms. */
export class SuggestionsController {
  constructor(
    protected readonly site: Site,
    protected readonly view: ModelView
  ) {}

  /**
   * Responds with the values that contain the text `q`, as JSON.
   *
   * @throws PageNotFound  for a field without suggestions, or one that the user cannot view
   */
  async show(ctx: HttpContext): Promise<Suggestions> {
    const column = this.view.resource.fields.find(({ apiName }) => apiName === ctx.params.field)
    if (!column || !suggestionsUrl(this.site, this.view, column)) throw new PageNotFound()
    const { q } = ctx.request.qs()
    return await suggestedValues(ctx, this.view, column, typeof q === 'string' ? q : '')
  }
}
