import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'
import { cutText } from './cell.js'
import { filterNotes } from './filter_notes.js'
import type { ListParameters } from './list_parameters.js'

/**
 * The part of a list's query that filters nothing, so that the list shows more than was requested.
 */
export type UnreadPart = { filter: string } | { search: string } | { view: true }

/**
 * The first part of a list's query that filters nothing. Nothing is done with all records of such a list. [L8, D2]
 *
 * @param query  as it was given
 * @returns null if all of it counts
 */
export function unreadPart(
  site: AdminSite,
  view: ModelView,
  parameters: ListParameters,
  query: string
): UnreadPart | null {
  const [fault] = filterNotes(site, view, parameters)
  if (fault) return { filter: fault.text }
  if (parameters.isUnsearchable || missesColumn(parameters, query)) {
    return { search: cutText(parameters.search || parameters.q || query) }
  }
  return parameters.place.isGone ? { view: true } : null
}

/** A search by a column that there is not for the user shows all records. */
function missesColumn({ column, q }: ListParameters, query: string): boolean {
  const given = new URLSearchParams(query)
  const text = given.getAll('search-input').at(-1)?.trim() ?? ''
  return text !== '' && column === null && q === ''
}
