import type { Condition } from '#base/columns/condition'
import {
  conditionsOf,
  filterErrorMessage,
  readFilters,
  type NamedFilter,
  type ReadFilter,
} from '#base/columns/filter'
import { readDeleted, type DeletedMode } from '#base/columns/soft_delete'
import { readSorts, type Sort, type SortInput } from '#base/columns/sort'
import type { Resource } from '../resource/resource.js'
import { readCursor } from './cursor.js'
import type { RelatedLookup } from './query_string.js'
import { readPaging, type Paging, type PagingRules, type PagingInput } from './paging.js'

/**
 * The input of a list request as texts, before validation. Each source translates its parameters to this input: the
 * API `sort=-price`, the admin list `sort_by=price&sort_order=desc`, application code its options.
 */
export interface ListInput {
  /** Pairs such as `['price__gte', '10']` or `['any.1.not.price__gte', '10']` */
  filters: Iterable<readonly [name: string, text: string]>
  /** Conditions that are not part of the request, such as defaults */
  conditions?: readonly Condition[]
  sort: readonly SortInput[]
  paging: PagingInput
  /** Mode for deleted items; undefined if absent, or if the resource shows no deleted items */
  deleted: string | undefined
}

/**
 * Rules of the source of a list request: available filters, page size, and the handling of invalid input.
 */
export interface ListRules extends PagingRules {
  /** Returns the column and operator of a filter's name without prefixes; undefined for an unknown filter */
  named?: (name: string) => NamedFilter | undefined
  /** Fields of related records that the request names */
  related?: RelatedLookup
}

/** The validated input of a list request. */
export interface ReadList {
  /** All filters, including those with an error */
  filters: readonly ReadFilter[]
  conditions: readonly Condition[]
  sorts: readonly Sort[]
  deleted: DeletedMode
  paging: Paging
}

/**
 * Reads the input of a list request, in the same way for every source. Invalid parts are ignored, unless the rules
 * throw an error.
 * @throws Problem 400 for paging parameters that cannot be combined
 * @throws Problem 422 for a cursor of another list
 */
export function readListInput(resource: Resource, input: ListInput, rules: ListRules): ReadList {
  const { invalid, named = () => undefined, related } = rules
  const filters = readFilters(input.filters, (name) => named(name) ?? related?.filter(name))
  const { sortable } = resource
  const sorted = {
    get: (name: string) => sortable.get(name) ?? related?.sortable(name),
    keys: () => sortable.keys(),
  }
  for (const { name, operator, error } of filters) {
    if (error) invalid(name, operator ?? 'filter', filterErrorMessage(error))
  }
  const list = {
    conditions: [...(input.conditions ?? []), ...conditionsOf(filters)],
    sorts: readSorts(input.sort, sorted, invalid),
    deleted: readDeleted(input.deleted, invalid),
  }
  const positionOf = (cursor: string) => readCursor(resource, list, cursor)
  return { ...list, filters, paging: readPaging(input.paging, rules, positionOf) }
}
