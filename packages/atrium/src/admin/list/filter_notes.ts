import type { AdminSite } from '../admin_site.js'
import type { ModelView } from '../model_view.js'
import { cutText } from './cell.js'
import { filterParameter, type FilterFault, type ListFilter } from './list_filters.js'
import type { ListParameters } from './list_parameters.js'

/**
 * A filter that filters nothing, and why.
 */
export interface FilterNote {
  text: string
  /** URL of the list without the filter; null where it would name what the viewer may not see */
  url: string | null
}

/**
 * The notes of a list about filters that filter nothing. [L1]
 */
export function filterNotes(
  site: AdminSite,
  view: ModelView,
  parameters: ListParameters
): FilterNote[] {
  const ofOthers = parameters.faults.filter((filter) => parameters.isWithheld(filter))
  const own = parameters.faults.filter((filter) => !ofOthers.includes(filter))
  const notes = own.map((filter) => ({
    text: site.text('list.filters.ignored', { ...namedOf(filter), why: why(site, view, filter) }),
    url: parameters.without(filter).url,
  }))
  if (ofOthers.length === 0) return notes
  return [
    { text: site.text('list.filters.withheld', { count: ofOthers.length }), url: null },
    ...notes,
  ]
}

function namedOf(filter: ListFilter) {
  return { name: cutText(filterParameter(filter)), text: cutText(filter.text) }
}

/**
 * Why a filter filters nothing, in words that complete "it ..." or stand alone. [L1]
 */
export function why(site: AdminSite, { label, resource }: ModelView, filter: ListFilter): string {
  const { column, fault } = filter
  const reason = fault!
  const say = (data: Record<string, string> = {}) =>
    site.text(`list.filters.${reason.reason}`, { column: column?.apiName ?? '', label, ...data })
  switch (reason.reason) {
    case 'operator':
      return say({ operators: reason.operators.join(', ') })
    case 'value':
      return say({ message: valueFault(site, reason.value) })
    case 'unknown':
      return resource.projection ? site.text('list.filters.unknownOrUnseen') : say()
    default:
      return say()
  }
}

function valueFault(
  site: AdminSite,
  fault: Extract<FilterFault, { reason: 'value' }>['value']
): string {
  const key = fault.reason === 'kind' ? `kinds.${fault.kind}` : fault.reason
  const given = Object.entries(fault).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? cutText(value) : value,
  ])
  return site.text(`list.filters.values.${key}`, Object.fromEntries(given))
}
