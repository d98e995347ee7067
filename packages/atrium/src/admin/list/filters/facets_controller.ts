import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { readList } from '../read_list.js'
import { facetsOf } from './facet_values.js'

/**
 * The facets of a list, at an address that takes the list's query: next to the list for htmx, or as a page. [L3]
 */
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
