import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'

/**
 * Redirects to the list. htmx is redirected by its own header: a `Location` would be followed by
 * the browser before htmx sees either. [S37, S46, B18]
 */
export async function goToList(site: AdminSite, view: ModelView, ctx: HttpContext): Promise<void> {
  const { request, response } = ctx
  /* A viewer who may not see the list goes to the dashboard. */
  const url = (await view.isVisibleTo(ctx)) ? view.url('/') : site.url('/')
  const header = request.header('hx-request') === undefined ? 'location' : 'hx-redirect'
  response.status(303).header(header, url).send('')
}
