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
import { countIn } from '#base/values/numbers'
import type { CrudConfig } from '../define_config.js'
import { conflictingParameters, conflictsWithCursor, type Invalid } from '#base/http/problems'
import type { Position } from '../sql/keyset.js'

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
interface ReadList {
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

/** The requested part of the list, and the shape of the response: by offset, page or cursor. */
export type Paging =
  | { shape: 'offset'; offset: number; limit: number }
  | { shape: 'page'; page: number; itemsPerPage: number; offset: number; limit: number }
  | {
      shape: 'cursor'
      after: Position | null
      offset: 0
      limit: number
      /** Receives the position of the next part, in place of a cursor in the response */
      takeNext?: (position: Position) => void
    }

const COUNTS = ['offset', 'limit', 'page', 'itemsPerPage'] as const

/** Names of the paging parameters. */
export const PAGING = [...COUNTS, 'cursor'] as const

/** The requested part as texts, before validation. */
export type PagingInput = Partial<Record<(typeof PAGING)[number], string>>

/** Rules for reading paging parameters. */
interface PagingRules {
  /** Default page sizes, and the maximum */
  pagination: Pick<CrudConfig['pagination'], 'limit' | 'itemsPerPage' | 'maximum'>
  /** True if a request without paging parameters is for page 1 */
  paged?: boolean
  invalid: Invalid
}

/**
 * Reads `offset` and `limit`, `page` and `itemsPerPage`, or `cursor` and `limit`. Values that are not integers, are
 * negative, or are zero for a page are invalid; empty values count as absent.
 *
 * @param positionOf  reads a cursor that is not empty
 * @throws Problem 400  for parameters that cannot be combined
 */
function readPaging(
  input: PagingInput,
  { pagination, paged = false, invalid }: PagingRules,
  positionOf: (cursor: string) => Position
): Paging {
  const { cursor } = input
  const leastLimit = cursor === undefined ? 0 : 1
  const least = { offset: 0, limit: leastLimit, page: 1, itemsPerPage: 1 }
  const counts: Partial<Record<(typeof COUNTS)[number], number>> = {}
  for (const name of COUNTS) counts[name] = readCount(name, input[name], least[name], invalid)
  const { offset, page, itemsPerPage } = counts
  const limit = Math.min(counts.limit ?? pagination.limit, pagination.maximum)

  const hasPage = page !== undefined || itemsPerPage !== undefined
  if (cursor !== undefined) {
    if (offset !== undefined) throw conflictsWithCursor('offset')
    if (hasPage) throw conflictsWithCursor(page === undefined ? 'itemsPerPage' : 'page')
    return { shape: 'cursor', after: cursor === '' ? null : positionOf(cursor), offset: 0, limit }
  }
  const hasOffset = offset !== undefined || counts.limit !== undefined
  if (hasPage && hasOffset) throw conflictingParameters()
  if (hasPage || (paged && !hasOffset)) {
    return pageOf(page ?? 1, Math.min(itemsPerPage ?? pagination.itemsPerPage, pagination.maximum))
  }
  return { shape: 'offset', offset: offset ?? 0, limit }
}

export function pageOf(page: number, itemsPerPage: number): Paging {
  const offset = Math.min((page - 1) * itemsPerPage, Number.MAX_SAFE_INTEGER)
  return { shape: 'page', page, itemsPerPage, offset, limit: itemsPerPage }
}

function readCount(
  name: string,
  text: string | undefined,
  least: number,
  invalid: Invalid
): number | undefined {
  if (text === undefined || text === '') return undefined
  const value = countIn(text)
  if (value !== null && value >= least) return value
  invalid(name, 'integer', `must be an integer of ${least} or more`)
}
