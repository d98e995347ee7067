import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { MOST_FILTERS } from '../list_filters.js'
import type { ListParameters } from '../list_parameters.js'
import { facetColumns } from './facet_columns.js'
import { filterWords, type FilterWords } from './filter_words.js'

/**
 * The bar of filters and facets above the table of a list. [L2, L3]
 */
export interface FilterBar {
  /** The filters in words, each with the URL of the list without it */
  filters: Array<FilterWords & { url: string }>
  /** URL of the list without filters; null if it has none */
  clear: string | null
  /** URL of the form for one more; null if the list takes no more */
  add: string | null
  /** URL of the facets; null if the list has none */
  facets: string | null
}

/**
 * The filter bar of a list.
 */
export async function filterBar(
  ctx: HttpContext,
  site: AdminSite,
  view: ModelView,
  parameters: ListParameters
): Promise<FilterBar> {
  const { filters } = parameters
  const passed = filters.filter(({ condition }) => condition)
  const words = passed.length > 0 ? await filterWords(ctx, site, view, passed) : []
  return {
    filters: words.map((one, index) => ({ ...one, url: parameters.without(passed[index]).url })),
    clear: filters.length > 0 ? parameters.without(filters).url : null,
    add: filters.length < MOST_FILTERS ? addressBelow(parameters, '/filter') : null,
    facets: facetColumns(site, view).length > 0 ? addressBelow(parameters, '/facets') : null,
  }
}

/**
 * URL of a page that takes the query of a list.
 */
export function addressBelow(
  { view, query }: ListParameters,
  path: string,
  more: Record<string, string> = {}
): string {
  const parts = [query, new URLSearchParams(more).toString()].filter((part) => part !== '')
  return view.url(path) + (parts.length > 0 ? `?${parts.join('&')}` : '')
}
