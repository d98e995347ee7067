import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { listQueryIn, queryOfReferringList, withListQuery } from '../http/list_query.js'
import type { ModelView } from '../model_view.js'
import type { ListParameters } from './list_parameters.js'
import { readList } from './read_list.js'

/**
 * The list that a form was opened from, which saving, cancelling and *Back* lead to. The first link to the form
 * is an ordinary one, so it is the page that the browser comes from; from then on, all addresses of the form
 * name it. [L11]
 *
 * @returns null if the form was not opened from a list
 */
export async function openedList(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView
): Promise<ListParameters | null> {
  const query = listQueryIn(ctx) ?? queryOfReferringList(ctx, view.url('/'))
  return query === null ? null : await readList(ctx, site, view, query)
}

/**
 * Address of a form, or of a page that leads to one, with the list that it leads back to.
 */
export function withList(address: string, list: ListParameters | null): string {
  return withListQuery(address, list && list.url.slice(list.view.url('/').length + 1))
}
