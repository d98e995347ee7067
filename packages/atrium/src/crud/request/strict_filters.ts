import { ValueError } from '#base/errors'
import type { Condition } from '#base/columns/condition'
import {
  conditionsOf,
  filterErrorMessage,
  readFilters,
  splitFilterName,
} from '#base/columns/filter'
import { invalidParameter, missingFilter, refuseInvalid } from '#base/http/problems'
import type { Resource } from '../resource/resource.js'
import { conditionsFromCode, ListRequest } from './list_request.js'
import type { RelatedLookup, QueryString } from './query_string.js'

/**
 * Reads the filters by which a call finds or changes records. No filter is ignored, because the call would then find
 * other records than intended.
 *
 * @param filters  value by filter name, such as `{ price__gte: 10 }`
 * @throws Problem 422  for no filters, an unknown one, an invalid value, undefined, or an empty text, which only the
 *   operator `exact` has
 */
export function strictConditions(
  resource: Resource,
  filters: Record<string, unknown> | undefined,
  related?: RelatedLookup
): Condition[] {
  if (!filters || Object.keys(filters).length === 0) throw missingFilter()
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined || (value === '' && splitFilterName(name).operator !== 'exact')) {
      throw invalidParameter(name, 'filter', 'must have a value')
    }
    try {
      conditionsFromCode(resource, { [name]: value }, related)
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      throw invalidParameter(name, 'filter', `is not a filter: ${error.message}`)
    }
  }
  return conditionsFromCode(resource, filters, related)
}

/**
 * Reads the query string of a request that writes all items that match: each parameter must be a declared filter with a
 * value. Defaults of filters do not apply, computed filters do.
 *
 * @param query  made by `listQueryOf`
 * @throws Problem 422  for no filters, an unknown one, or an empty or invalid value
 */
export function strictRequest(resource: Resource, query: QueryString): ListRequest {
  const { filters } = resource
  const named = (name: string) => filters.get(name) ?? query.related?.filter(name)
  const sent = query.names.flatMap((name) => {
    const { group, name: filter } = filters.splitName(name)
    const operator = named(filter)?.operator
    if (!operator) throw invalidParameter(name, 'filter', 'must be the name of a filter')
    const texts = group === null ? [query.get(name)!] : query.all(name)
    const isEmpty = operator !== 'exact' && texts.includes('')
    if (isEmpty) throw invalidParameter(name, 'filter', 'must have a value')
    return texts.map((text): [string, string] => [name, text])
  })
  if (sent.length === 0) throw missingFilter()
  const read = readFilters(sent, named)
  for (const { name, operator, error } of read) {
    if (error) refuseInvalid(name, operator ?? 'filter', filterErrorMessage(error))
  }
  const conditions = [...(query.computed ?? []), ...conditionsOf(read)]
  const paging = { shape: 'offset', offset: 0, limit: 0 } as const
  return new ListRequest(conditions, [], paging, 'exclude')
}
