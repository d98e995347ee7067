import type { AdminSite } from '../admin_site.js'
import type { ListParameters } from '../list/list_parameters.js'

/**
 * The box that selects all records of a list, on whichever page. [L8]
 */
export interface MatchingOffer {
  /** Query string of the list, without its view, which somebody may change in the meantime */
  query: string
  /** Number of its records, which must be the same when it is done */
  count: number
  label: string
  selected: string
}

/**
 * @param total  null if it is not known
 * @param shown  number of records on the page
 * @returns null where there are no others, or no task can be done to all of them
 */
export function matchingOffer(
  site: AdminSite,
  { deleted, wholeQuery: query }: ListParameters,
  total: number | null,
  shown: number
): MatchingOffer | null {
  if (total === null || total <= shown || deleted === 'include') return null
  const number = { shown: total.toLocaleString('en') }
  return {
    query,
    count: total,
    label: site.text('bulk.all.label', number),
    selected: site.text('bulk.all.selected', number),
  }
}
