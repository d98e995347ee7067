import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'

/**
 * Sends the browser to the list. htmx goes there by a header of its own; a `Location` beside it the
 * browser would follow before htmx sees either. [S37, S46, B18]
 */
export async function goToList(site: AdminSite, view: ModelView, ctx: HttpContext): Promise<void> {
  const { request, response } = ctx
  /* Who may not see the list is not sent to where it would be. */
  const url = (await view.isVisibleTo(ctx)) ? view.url('/') : site.url('/')
  const header = request.header('hx-request') === undefined ? 'location' : 'hx-redirect'
  response.status(303).header(header, url).send('')
}
