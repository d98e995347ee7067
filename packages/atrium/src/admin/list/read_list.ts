import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#base/columns/column'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'
import { placeOf } from './saved_views/place_of.js'
import { withView } from './saved_views/list_place.js'
import { titledColumn } from './list_filters.js'
import { ListParameters } from './list_parameters.js'
import { ALL_RECORDS, SEARCH, searchedText } from './list_address.js'
import {
  NO_TITLES,
  titleSearches,
  type TitleSearches,
  searchableColumns,
  wordConditions,
  wordsOf,
} from './title_search.js'

/**
 * Parses the query string of a list for the signed-in user, who finds references by the titles that they may
 * see, and has views of the list. [L5]
 *
 * @param view          as the user's roles leave it
 * @param query         with or without its question mark
 * @param search        name of the parameter with the search text
 * @param opensDefault  true if the user's default view opens where the query is empty
 */
export async function readList(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  query: string,
  search?: string,
  opensDefault: boolean = false
): Promise<ListParameters> {
  const given = new URLSearchParams(query)
  const known = await placeOf(ctx, site, view)
  const wanted =
    opensDefault && given.size === 0 ? String(known.defaultId ?? '') : given.getAll('view').at(-1)
  const open = known.views.find(({ id }) => String(id) === wanted) ?? null
  const isGone = Boolean(wanted) && wanted !== ALL_RECORDS && open === null
  const text = open ? withView(open.query, given, search ?? SEARCH).toString() : query
  const titles = await titlesOf(ctx, site, view, text, search)
  return ListParameters.read(view, text, search, titles, { ...known, open, isGone })
}

async function titlesOf(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  query: string,
  search?: string
): Promise<TitleSearches> {
  const given = new URLSearchParams(query)
  const wanted = new Map<Column, string[]>()
  const note = (column: Column, texts: readonly string[]) =>
    wanted.set(column, [...(wanted.get(column) ?? []), ...texts])

  for (const [parameter, text] of given) {
    const column = text === '' ? undefined : titledColumn(view, parameter)
    if (column) note(column, [text])
  }
  const text = searchedText(given, search)
  /* Nothing is read for a text that can't be searched for. */
  if (text !== '' && wordConditions(view, text, NO_TITLES)) {
    for (const column of searchableColumns(view)) note(column, wordsOf(text))
  }
  if (wanted.size === 0) return NO_TITLES
  return await titleSearches(ctx, site, view, (column) => wanted.get(column) ?? [])
}
