import type { HttpContext } from '@adonisjs/core/http'
import type { ModelView } from '../views/model_view.js'
import type { Site } from '../views/site.js'
import { placeOf, type ListStores } from './saved_views/place_of.js'
import { withView } from './saved_views/list_place.js'
import { ListParameters } from './list_parameters.js'
import { ALL_RECORDS, lastIn, SEARCH } from './list_address.js'
import { relatedIn } from './related_columns.js'
import { NO_TITLES, titleSearches, type TitleSearches } from './title_search.js'

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
  site: Site & ListStores,
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
  site: Site & ListStores,
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
