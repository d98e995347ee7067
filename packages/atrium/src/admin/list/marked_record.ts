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
import type { RowActions } from './rows_markup.js'
import { readList } from './read_list.js'

/**
 * Returns the record that the user has just worked on, to highlight it: the record of the flash message, or of the
 * form or page that the request comes from.
 *
 * @returns key in the format of URL paths, without the leading slash; null if there is none
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
 * Returns the list that a form was opened from, to which saving, cancelling and *Back* return. The first link to the
 * form is an ordinary link, so the referrer contains the list; all further URLs of the form contain the list's query.
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

/** Adds the query of the list to return to to the URL of a form, or of a page that links to a form. */
export function withList(address: string, list: ListParameters | null): string {
  return withListQuery(address, list && list.url.slice(list.view.url('/').length + 1))
}

/** Returns the actions in the menu of each row; null if there are none, or in a list below a record. */
export function rowActions(
  site: Pick<AdminSite, 'text'>,
  { base, url, view }: ListParameters
): RowActions | null {
  if (base !== null || view.recordActions.length === 0) return null
  return {
    label: site.text('record.actions.menu', { title: '{title}' }),
    links: view.recordActions.map(({ label, name }) => ({
      label,
      url: view.url(`/record_action/${name}`),
    })),
    query: new URLSearchParams({ next: url }).toString(),
  }
}
