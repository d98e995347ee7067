import type { Resource } from '../resource/resource.js'
import type { QueryString } from './query_string.js'

/*
 * The one place that names the query parameters of our own: what is read, what strictQuery knows, and
 * what the API schema tells, all go by it. Filters stand in each model's `filterConfig`.
 */
const OF_ITEMS = ['fields', 'include', 'deleted'] as const
const OF_LISTS = ['offset', 'limit', 'page', 'itemsPerPage', 'cursor', 'count', 'sort'] as const

export type OwnParameter = (typeof OF_ITEMS)[number] | (typeof OF_LISTS)[number]

/**
 * All of them, whichever a model has.
 */
export const OWN_PARAMETERS: readonly OwnParameter[] = [...OF_LISTS, ...OF_ITEMS]

/**
 * The parameters that the read of one item has, filters apart.
 */
export function itemParameters(resource: Resource): OwnParameter[] {
  return existing(resource, OF_ITEMS)
}

/**
 * The parameters that the list has, filters apart.
 */
export function listParameters(resource: Resource): OwnParameter[] {
  return existing(resource, [...OF_LISTS, ...OF_ITEMS])
}

/**
 * The value of a parameter of ours. A filter that is called the same wins over it. [A17]
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

/**
 * Whether the resource shows deleted items to who asks for them. [A22]
 */
export function canShowDeleted(resource: Resource): boolean {
  return resource.showDeleted && resource.softDelete !== undefined
}

function existing(resource: Resource, names: readonly OwnParameter[]): OwnParameter[] {
  return names.filter((name) => {
    if (resource.filters.get(name)) return false
    return name !== 'deleted' || canShowDeleted(resource)
  })
}
