import type { HttpContext } from '@adonisjs/core/http'
import type { Column } from '#crud/internals'
import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'
import { titledColumn } from './list_filters.js'
import { ListParameters, searchedText } from './list_parameters.js'
import { NO_TITLES, titleSearches, type TitleSearches } from './title_search.js'
import { searchableColumns, wordConditions, wordsOf } from './word_search.js'

/**
 * Parses the query string of a list for the signed-in user, who finds references by the titles that they may see.
 *
 * @param view    as the user's roles leave it
 * @param query   with or without its question mark
 * @param search  name of the parameter with the search text
 */
export async function readList(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  query: string,
  search?: string
): Promise<ListParameters> {
  const titles = await titlesOf(ctx, site, view, query, search)
  return ListParameters.read(view, query, search, titles)
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
