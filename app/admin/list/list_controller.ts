import { setImmediate } from 'node:timers/promises'
import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'
import { ListPage } from './list_page.js'
import { ListParameters } from './list_parameters.js'

/**
 * The list of a model: as a page, as the part of it that changes, as its table alone.
 */
export class ListController {
  readonly #page: ListPage

  constructor(
    protected readonly site: AdminSite,
    protected readonly view: ModelView
  ) {
    this.#page = new ListPage(site, view)
  }

  /**
   * The page at its own address, which ends in a slash. [S31, B26]
   */
  async page(ctx: HttpContext): Promise<unknown> {
    const { request, response } = ctx
    if (request.parsedUrl.pathname?.endsWith('/')) return await this.content(ctx, true)
    /* The parser of query strings would write it in another way. */
    const [, query] = request.request.url!.split(/\?(.*)/s)
    const location = this.view.url('/') + (query === undefined ? '' : `?${query}`)
    response.status(307).header('location', location).send('')
  }

  /**
   * For htmx the part that changes, for everybody else the page. [S32, S35]
   *
   * @param isAddress  whether the request's address is that of the page
   */
  async content(ctx: HttpContext, isAddress: boolean = false): Promise<string> {
    ctx.response.vary('HX-Request')
    if (ctx.request.header('hx-request') === undefined) return await this.#whole(ctx)
    const data = await this.#page.data(ctx)
    if (isAddress) ctx.response.header('hx-push-url', newAddress(ctx, data.parameters))
    return await this.#page.render(ctx, data)
  }

  /** The frame is made while the database works, as it depends on nothing that it tells. */
  async #whole(ctx: HttpContext): Promise<string> {
    const own = this.view.templates.list
    const finding = this.#page.data(ctx)
    if (own !== undefined) return await this.site.renderPage(ctx, 'pages/list', await finding, own)

    finding.catch(() => {})
    await setImmediate()
    const page = this.site.render(ctx, 'pages/list', { view: this.view, found: finding })
    page.catch(() => {})
    /* What fails in a template loses its status. */
    await finding
    return await page
  }

  /**
   * The table alone. [S56, B22]
   */
  async table(ctx: HttpContext): Promise<string> {
    const query = ctx.request.parsedUrl.query ?? ''
    const parameters = ListParameters.read(this.view, query, 'search')
    return await this.site.render(
      ctx,
      'partials/list_table',
      await this.#page.data(ctx, parameters)
    )
  }
}

/** What the browser is to show as the page's address; it has it already after a reload. */
function newAddress({ request }: HttpContext, { url }: ListParameters): string {
  try {
    const { pathname, search } = new URL(request.header('hx-current-url') ?? '')
    return pathname + search === url ? 'false' : url
  } catch {
    return url
  }
}
