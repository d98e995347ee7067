import { setImmediate } from 'node:timers/promises'
import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../views/model_view.js'
import { queryOfReferringList } from '../http/list_query.js'
import { guardOf } from '../identity/admin_guard.js'
import { clockTime, writtenTime } from '../time/local_time.js'
import { presentZone } from '../time/time_zone.js'
import { ListPage } from './list_page.js'
import type { ListParameters } from './list_parameters.js'
import { ROWS } from './list_address.js'
import { usualRows } from '../views/page_size.js'
import { readList, type ListSite } from './read_list.js'
import { preferenceNames } from './saved_views/list_settings.js'
import { redirect } from '../http/redirect.js'

/** Renders the list of a model: the page, its content without the layout, or only the table. */
export class ListController {
  readonly #page: ListPage

  constructor(
    protected readonly site: ListSite,
    protected readonly view: ModelView
  ) {
    this.#page = new ListPage(site, view)
  }

  /** Renders the page, or redirects to its canonical URL, which ends in a slash. */
  async page(ctx: HttpContext): Promise<unknown> {
    const { request } = ctx
    if (request.parsedUrl.pathname?.endsWith('/')) return await this.content(ctx, true)
    /* The raw query string is used, as the application's query parser may normalize it. */
    const [, query] = request.request.url!.split(/\?(.*)/s)
    const location = this.view.url('/') + (query === undefined ? '' : `?${query}`)
    redirect(ctx, location, 307)
  }

  /**
   * Renders the content for htmx, or the whole page for other clients.
   *
   * @param isAddress  true if the URL of the request is the URL of the page
   */
  async content(ctx: HttpContext, isAddress: boolean = false): Promise<string> {
    ctx.response.vary('HX-Request')
    const parameters = await this.#parameters(ctx)
    if (ctx.request.header('hx-request') === undefined) return await this.#whole(ctx, parameters)
    const data = await this.#page.data(ctx, parameters)
    if (isAddress) ctx.response.header('hx-push-url', newAddress(ctx, data.parameters))
    return await this.#page.render(ctx, data)
  }

  /**
   * Parses the URL, and stores the page size as a preference if the user has just changed it on a page of the list.
   */
  async #parameters(ctx: HttpContext): Promise<ListParameters> {
    const parameters = await this.#page.parametersOf(ctx)
    const { rows, settings } = parameters
    if (
      rows === settings.rows ||
      !new URLSearchParams(ctx.request.parsedUrl.query ?? '').has(ROWS)
    ) {
      return parameters
    }
    const query = queryOfReferringList(ctx, this.view.url('/'))
    const owner = guardOf(ctx).signedIn?.owner
    if (query === null || !owner) return parameters
    const before = await readList(ctx, this.site, this.view, query, undefined, true)
    if (before.rows === rows) return parameters
    const chosen = rows === usualRows(this.view, null) ? null : rows
    await this.site.preferences.write(owner.id, { [preferenceNames(this.view.name).rows]: chosen })
    return parameters.with({ settings: { ...settings, rows: chosen } })
  }

  /** Renders the layout while the query runs, as the layout does not depend on it. */
  async #whole(ctx: HttpContext, parameters: ListParameters): Promise<string> {
    const own = this.view.templates.list
    const finding = this.#page.data(ctx, parameters)
    if (own !== undefined) return await this.site.renderPage(ctx, 'pages/list', await finding, own)

    finding.catch(() => {})
    await setImmediate()
    const page = this.site.render(ctx, 'pages/list', { view: this.view, found: finding })
    page.catch(() => {})
    /* Awaited before the page, as an error that is thrown within a template would lose its status. */
    await finding
    return await page
  }

  /** Renders only the table. */
  async table(ctx: HttpContext): Promise<string> {
    const parameters = await this.#page.parametersOf(ctx, 'search')
    return await this.site.render(
      ctx,
      'partials/list_table',
      await this.#page.data(ctx, parameters)
    )
  }
}

/** Returns the URL that the browser should show for the content; `false` if it is unchanged. */
function newAddress({ request }: HttpContext, { url }: ListParameters): string {
  try {
    const { pathname, search } = new URL(request.header('hx-current-url') ?? '')
    return pathname + search === url ? 'false' : url
  } catch {
    return url
  }
}

/** Maximum number of rows of a printed list */
const PRINTED_MAX = 5_000

/** The print view of a list: all matching records, with the columns and the order of the list. */
export class PrintController {
  readonly #page: ListPage

  constructor(
    protected readonly site: ListSite,
    protected readonly view: ModelView
  ) {
    this.#page = new ListPage(site, view)
  }

  async show(ctx: HttpContext): Promise<string> {
    const parameters = await this.#page.parametersOf(ctx)
    const first = parameters.with({ page: 1 })
    const data = await this.#page.data(ctx, first.with({ rows: PRINTED_MAX }))
    const { time } = clockTime(new Date().toISOString())!
    return await this.site.render(ctx, 'pages/list_print', {
      ...data,
      title: this.view.label,
      sheet: 'list_print.css',
      hasForms: false,
      back: first.url,
      exported: data.links.export && first.urlBelow('/export/dialog'),
      printed: `${writtenTime(time, { seconds: false })} ${presentZone()}`,
      isCut: data.items.length === PRINTED_MAX && data.total_items !== PRINTED_MAX,
    })
  }
}
