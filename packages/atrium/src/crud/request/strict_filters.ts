import { ValueError } from '#base/errors'
import type { Condition } from '#base/columns/condition'
import { splitFilterName } from '#base/columns/filter'
import { invalidParameter, missingFilter } from '#base/http/problems'
import type { Resource } from '../resource/resource.js'
import { conditionsFromCode } from './list_request.js'

/**
 * Reads the filters of a call that finds or changes records by them, where a filter that is ignored would find other
 * records than intended. [W9]
 *
 * @param filters  value by filter name, such as `{ price__gte: 10 }`
 * @throws Problem 422  for no filters, an unknown one, an invalid value, undefined, or an empty text, which only the
 *   operator `exact` has
 */
export function strictConditions(
  resource: Resource,
  filters: Record<string, unknown> | undefined
): Condition[] {
  if (!filters || Object.keys(filters).length === 0) throw missingFilter()
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined || (value === '' && splitFilterName(name).operator !== 'exact')) {
      throw invalidParameter(name, 'filter', 'must have a value')
    }
    try {
      conditionsFromCode(resource, { [name]: value })
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      throw invalidParameter(name, 'filter', `is not a filter: ${error.message}`)
    }
  }
  return conditionsFromCode(resource, filters)
}
