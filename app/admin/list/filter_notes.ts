import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'
import { cutText } from './cell.js'
import { filterParameter, type ListFilter } from './list_filters.js'
import type { ListParameters } from './list_parameters.js'

/**
 * A filter that filters nothing, and why.
 */
export interface FilterNote {
  text: string
  /** URL of the list without the filter */
  url: string
}

/**
 * What a list says of the filters that filter nothing. [L1]
 */
export function filterNotes(
  site: AdminSite,
  view: ModelView,
  parameters: ListParameters
): FilterNote[] {
  return parameters.faults.map((filter) => ({
    text: site.text('list.filters.ignored', { ...namedOf(filter), why: why(site, view, filter) }),
    url: parameters.without(filter).url,
  }))
}

function namedOf(filter: ListFilter) {
  return { name: cutText(filterParameter(filter)), text: cutText(filter.text) }
}

function why(site: AdminSite, { label }: ModelView, { column, fault }: ListFilter): string {
  const reason = fault!
  const say = (data: Record<string, string> = {}) =>
    site.text(`list.filters.${reason.reason}`, { column: column?.apiName ?? '', label, ...data })
  switch (reason.reason) {
    case 'operator':
      return say({ operators: reason.operators.join(', ') })
    case 'value':
      return say({ message: cutText(reason.message) })
    default:
      return say()
  }
}
