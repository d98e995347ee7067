import { UnreadableFilter } from '#base/errors'
import { invalidParameter } from '#base/http/problems'
import type { Resource } from '../resource/resource.js'
import { readCondition, type Condition } from '#base/columns/condition'
import type { QueryString } from './query_string.js'

/**
 * Reads the filters of a query string; an absent one has its default. [A16 to A18]
 *
 * @throws Problem 422  for an invalid value
 */
export function parseFilters(resource: Resource, query: QueryString): Condition[] {
  const conditions: Condition[] = []
  for (const filter of resource.filters.all) {
    const text = query.get(filter.name)
    if (text === undefined) {
      if (filter.fallback) conditions.push(filter.fallback)
    } else if (text !== '' || filter.operator === 'exact') {
      try {
        conditions.push(readCondition(filter.column, filter.operator, text))
      } catch (error) {
        if (!(error instanceof UnreadableFilter)) throw error
        throw invalidParameter(filter.name, filter.operator, error.message)
      }
    }
  }
  return conditions
}
