import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'

/**
 * A form next to a list: alone for htmx, which shows it in a dialog on the list, else as a page.
 *
 * @param data  variables of the form; `content` is its template
 */
export async function showPanel(
  ctx: HttpContext,
  site: AdminSite,
  data: { title: string; content: string; back: string } & Record<string, unknown>
): Promise<string> {
  ctx.response.vary('HX-Request')
  const isPart = ctx.request.header('hx-request') !== undefined
  return await site.render(ctx, isPart ? 'partials/list_panel' : 'pages/list_panel', data)
}
