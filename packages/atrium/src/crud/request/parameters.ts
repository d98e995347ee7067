import type { Resource } from '../resource/resource.js'
import type { QueryString } from './query_string.js'

/*
 * The only list of our own query parameters: the parsers, strictQuery and the API schema all use it.
 * Filters are in each model's `filterConfig`.
 */
const OF_ITEMS = ['fields', 'include', 'deleted'] as const
const OF_LISTS = ['offset', 'limit', 'page', 'itemsPerPage', 'cursor', 'count', 'sort'] as const

export type OwnParameter = (typeof OF_ITEMS)[number] | (typeof OF_LISTS)[number]

/** All parameters of any model. */
export const OWN_PARAMETERS: readonly OwnParameter[] = [...OF_LISTS, ...OF_ITEMS]

/** The parameters of the read of one item, without filters. */
export function itemParameters(resource: Resource): OwnParameter[] {
  return existing(resource, OF_ITEMS)
}

/** The parameters of the list, without filters. */
export function listParameters(resource: Resource): OwnParameter[] {
  return existing(resource, [...OF_LISTS, ...OF_ITEMS])
}

/**
 * The value of one of our own parameters. A filter of the same name takes precedence. [A17]
 *
 * @returns undefined if it is absent
 * @throws Problem 422  when it was sent twice, or with brackets
 */
export function ownParameter(
  resource: Resource,
  query: QueryString,
  name: OwnParameter
): string | undefined {
  return resource.filters.get(name) ? undefined : query.get(name)
}

/** True if the resource shows deleted items on request. [A22] */
export function canShowDeleted(resource: Resource): boolean {
  return resource.showDeleted && resource.softDelete !== undefined
}

function existing(resource: Resource, names: readonly OwnParameter[]): OwnParameter[] {
  return names.filter((name) => {
    if (resource.filters.get(name)) return false
    return name !== 'deleted' || canShowDeleted(resource)
  })
}
