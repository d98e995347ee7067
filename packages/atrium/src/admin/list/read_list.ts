import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../views/model_view.js'
import type { Site } from '../views/site.js'
import type { WithPreferences } from '../preferences/preferences.js'
import { placeOf } from './saved_views/place_of.js'
import type { WithSavedViews } from './saved_views/saved_views.js'
import { withView } from './saved_views/list_place.js'
import { ListParameters } from './list_parameters.js'
import { ALL_RECORDS, lastIn, SEARCH } from './list_address.js'
import { relatedIn } from './related_columns.js'
import { NO_TITLES, titleSearches, type TitleSearches } from './title_search.js'
import { flashOf } from '../http/flash.js'
import {
  referringPage,
  listQueryIn,
  queryOfReferringList,
  withListQuery,
} from '../http/list_query.js'
import type { RowActions } from './rows_markup.js'

/** The parts of the site that lists need */
export type ListSite = Site & WithPreferences & WithSavedViews

/**
 * Parses the query string of a list for the signed-in user. References are found by titles that the user can see, and
 * saved views of the user are applied.
 *
 * @param view          the view, limited by the user's roles
 * @param query         query string with or without the question mark
 * @param search        name of the parameter with the search text
 * @param opensDefault  true to apply the user's default view if the query is empty
 */
export async function readList(
  ctx: HttpContext,
  site: ListSite,
  view: ModelView,
  query: string,
  search?: string,
  opensDefault: boolean = false
): Promise<ListParameters> {
  const given = new URLSearchParams(query)
  const known = await placeOf(ctx, site, view)
  const wanted =
    opensDefault && given.size === 0 ? String(known.defaultId ?? '') : lastIn(given, 'view')
  const open = known.views.find(({ id }) => String(id) === wanted) ?? null
  const isGone = Boolean(wanted) && wanted !== ALL_RECORDS && open === null
  const text = open ? withView(open.query, given, search ?? SEARCH).toString() : query
  const titles = await titlesOf(ctx, site, view, text, search)
  const related = await relatedIn(ctx, site, view, text)
  return ListParameters.read(view, text, search, titles, { ...known, open, isGone }, related)
}

/** Parses the query a first time to collect the titles that it searches for, by column. */
async function titlesOf(
  ctx: HttpContext,
  site: ListSite,
  view: ModelView,
  query: string,
  search?: string
): Promise<TitleSearches> {
  const wanted = new Map<string, string[]>()
  const noting = {
    get: (column: string) => (title: string) => {
      wanted.set(column, [...(wanted.get(column) ?? []), title])
      return null
    },
  }
  /* Evaluates the search, as its words are only parsed on demand. */
  void ListParameters.read(view, query, search, noting).isUnsearchable
  if (wanted.size === 0) return NO_TITLES
  return await titleSearches(ctx, site, view, ({ apiName }) => wanted.get(apiName) ?? [])
}

/**
 * Returns the record that the user has just worked on, to highlight it: the record of the flash message, or of the
 * form or page that the request comes from.
 *
 * @returns key in the format of URL paths, without the leading slash; null if there is none
 */
export async function markedRecord(ctx: HttpContext, view: ModelView): Promise<string | null> {
  const flash = await flashOf(ctx)
  const flashed = flash?.record
  if (flashed) return flashed.model === view.name ? flashed.key : null
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
  site: ListSite,
  view: ModelView
): Promise<ListParameters | null> {
  const query = listQueryIn(ctx) ?? queryOfReferringList(ctx, view.url('/'))
  return query === null ? null : await readList(ctx, site, view, query)
}

/**
 * Adds the list's query to the URL of a form, or of a page that links to a form, so that the form can return to the
 * list.
 */
export function withList(address: string, list: ListParameters | null): string {
  return withListQuery(address, list && list.url.slice(list.view.url('/').length + 1))
}

/** Returns the actions in the menu of each row; null if there are none, or in a list below a record. */
export function rowActions(
  site: Pick<Site, 'text'>,
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
