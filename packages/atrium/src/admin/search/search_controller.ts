import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { searchSite } from './site_search.js'

/** Longer search texts are cut. */
const LONGEST_TEXT = 200

/**
 * Search of the whole site: a page, and its content for the palette. [L12]
 */
export class SearchController {
  constructor(private readonly site: AdminSite) {}

  async show(ctx: HttpContext): Promise<string> {
    const { q } = ctx.request.qs()
    const text = typeof q === 'string' ? q.trim().slice(0, LONGEST_TEXT).toWellFormed() : ''
    const isPart = ctx.request.header('hx-request') !== undefined
    ctx.response.vary('HX-Request')
    const result = await searchSite(this.site, ctx, text)
    return await this.site.render(ctx, isPart ? 'partials/search_content' : 'pages/search', {
      result,
    })
  }
}
