import { ValueError } from '#base/errors'
import type { Column } from '#base/columns/column'
import type { Resource } from '../resource/resource.js'
import type { Condition } from '#base/columns/condition'
import { ListRequest } from './list_request.js'
import { isHiddenFrom, shownFields } from './shown_fields.js'

/**
 * Removes hidden fields and relations from a list request, which may have been parsed with the unprojected
 * resource. [U4]
 *
 * @throws ValueError  if the request filters or sorts by a hidden field
 */
export function shownRequest(resource: Resource, request: ListRequest): ListRequest {
  if (!resource.projection) return request
  const { conditions, count, deleted, fields, include, paging, sorts } = request
  const named = [...conditions.flatMap(columnsOf), ...sorts.map(({ column }) => column)]
  const hidden = named.find((column) => isHiddenFrom(resource, column))
  if (hidden) {
    throw new ValueError(
      `${resource.name}: the request names ${hidden.apiName}, which the actor may not see; read it with the resource that resource.for(actor) returns`
    )
  }
  const shown = shownFields(resource, fields)
  const order = sorts.map((sort) => ({
    ...sort,
    column: resource.sortable.get(sort.column.apiName) ?? sort.column,
  }))
  const left = include.filter(({ name }) => resource.includes.has(name))
  return new ListRequest(conditions, order, paging, deleted, {
    fields: shown,
    include: left,
    count,
  })
}

function columnsOf(condition: Condition): Column[] {
  switch (condition.type) {
    case 'or':
    case 'and':
      return condition.conditions.flatMap(columnsOf)
    case 'reached':
      return []
    default:
      return [condition.column]
  }
}
