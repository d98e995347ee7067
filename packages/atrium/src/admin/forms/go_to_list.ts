import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import type { ListParameters } from '../list/list_parameters.js'
import type { ModelView } from '../model_view.js'
import { parentRecord } from '../record/parent_record.js'

/**
 * Redirects to the list. [S37, S46, B18]
 *
 * @param list  as it was; null for the first page of the whole list
 */
export async function goToList(
  site: AdminSite,
  view: ModelView,
  ctx: HttpContext,
  list: ListParameters | null
): Promise<void> {
  /* A viewer who cannot see the list goes to the dashboard. */
  const isVisible = await view.isVisibleTo(ctx)
  goTo(ctx, isVisible ? (list?.url ?? view.url('/')) : site.url('/'))
}

/**
 * Redirects to where a form was opened from: the record that it leads back to, else the list. [L11, R4]
 *
 * @param list  as it was; null if the form was not opened from it
 */
export async function goBack(
  site: AdminSite,
  view: ModelView,
  ctx: HttpContext,
  list: ListParameters | null
): Promise<void> {
  const parent = list ? null : await parentRecord(ctx, site, view)
  if (parent) goTo(ctx, parent.url)
  else await goToList(site, view, ctx, list)
}

/**
 * Redirects to a page. htmx is redirected by its own header: a `Location` would be followed by the browser
 * before htmx sees either.
 */
export function goTo({ request, response }: HttpContext, url: string): void {
  const header = request.header('hx-request') === undefined ? 'location' : 'hx-redirect'
  response.status(303).header(header, url).send('')
}
