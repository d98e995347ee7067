import { UnreadableFilter, ValueError } from '#base/errors'
import { invalidParameter } from '#base/http/problems'
import type { Resource } from '../resource/resource.js'
import { readCondition, type Condition } from '#base/columns/condition'
import type { QueryString } from './query_string.js'
import type { Column } from '#base/columns/column'
import { parseFilterName } from '#base/columns/filter_name'
import { writeNumeral } from '#base/values/numbers'
import { toApi } from '#base/values/to_api'
import { isHiddenFrom } from './shown_fields.js'

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

/**
 * Reads the filters of own code, on any column.
 *
 * @param filters  value by filter name, as in `{ price__gte: 10 }`
 * @throws ValueError  for an invalid name or value
 */
export function conditionsFromCode(
  resource: Resource,
  filters: Record<string, unknown>
): Condition[] {
  return Object.entries(filters).map(([name, value]) => {
    const { column: apiName, operator } = parseFilterName(name)
    const column = resource.columns.find(apiName)
    if (!column || isHiddenFrom(resource, column)) {
      throw new ValueError(
        `Invalid filter column '${apiName}': not found in the model ${resource.name}`
      )
    }
    try {
      if (value === null) {
        return { type: 'null', column, negate: operator === 'ne' || operator === 'is_not' }
      }
      return readCondition(
        column,
        operator,
        Array.isArray(value) ? value.map((part) => textOf(column, part)) : textOf(column, value)
      )
    } catch (error) {
      if (!(error instanceof UnreadableFilter)) throw error
      throw new ValueError(`The value of the filter '${name}' ${error.message}`)
    }
  })
}

/** A value of own code in the form of a query string. */
function textOf(column: Column, value: unknown): string {
  if (value === undefined || value === null)
    throw new UnreadableFilter({ reason: 'missing', value })
  if (typeof value === 'number') return writeNumeral(value)
  return String(typeof value === 'object' ? toApi(column, value) : value)
}
