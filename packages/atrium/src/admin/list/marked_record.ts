import type { HttpContext } from '@adonisjs/core/http'
import { flashOf } from '../http/flash.js'
import {
  referringPage,
  listQueryIn,
  queryOfReferringList,
  withListQuery,
} from '../http/list_query.js'
import type { ModelView } from '../views/model_view.js'
import type { AdminSite } from '../admin_site.js'
import type { ListParameters } from './list_parameters.js'
import { readList } from './read_list.js'

/**
 * The record that the user has just worked on: the one that the message is about, or whose form or page they
 * come from. [L11]
 *
 * @returns its key as in paths, without the leading slash; null if there is none
 */
export async function markedRecord(ctx: HttpContext, view: ModelView): Promise<string | null> {
  const flash = await flashOf(ctx)
  const told = flash?.record
  if (told) return told.model === view.name ? told.key : null
  const path = referringPage(ctx)?.pathname ?? ''
  const form = ['/update/', '/form_update/', '/view/']
    .map((name) => view.url(name))
    .find((address) => path.startsWith(address))
  return form === undefined ? null : path.slice(form.length)
}

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
