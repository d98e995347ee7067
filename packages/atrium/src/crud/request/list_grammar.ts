import type { Condition } from '#base/columns/condition'
import {
  conditionsOf,
  filterErrorMessage,
  readFilters,
  type NamedFilter,
  type ReadFilter,
} from '#base/columns/filter'
import { readDeleted, type DeletedMode } from '#base/columns/soft_delete'
import { readSorts, type Sort, type SortWord } from '#base/columns/sort'
import type { Resource } from '../resource/resource.js'
import { readCursor } from './cursor.js'
import { readPaging, type Paging, type PagingRules, type PagingWords } from './paging.js'

/**
 * What a request says of a list, in words that nothing has checked yet. Each door translates its parameters to them:
 * the API `sort=-price`, the admin list `sort_by=price&sort_order=desc`, application code its options.
 */
export interface ListWords {
  /** As in `['price__gte', '10']` */
  filters: Iterable<readonly [name: string, text: string]>
  /** Conditions that no word asks for, such as defaults */
  conditions?: readonly Condition[]
  sort: readonly SortWord[]
  paging: PagingWords
  /** Undefined, too, where deleted items are not shown */
  deleted: string | undefined
}

/** Where a list request comes in: which filters there are, the size of a part, and what happens to invalid words. */
export interface ListDoor extends PagingRules {
  /** The column and operator of a filter's name; undefined for that of no filter */
  named?: (name: string) => NamedFilter | undefined
  /** Number of filters from which on they are invalid */
  mostFilters?: number
}

/** The words with their meaning. */
export interface ReadList {
  /** Those with an error, too */
  filters: readonly ReadFilter[]
  conditions: readonly Condition[]
  sorts: readonly Sort[]
  deleted: DeletedMode
  paging: Paging
}

/**
 * Reads the words of a list, the same way for every door. An invalid one counts as missing, unless the door throws.
 *
 * @throws Problem 400  for paging parameters that do not go together
 * @throws Problem 422  for a cursor of another list
 */
export function readListWords(resource: Resource, words: ListWords, door: ListDoor): ReadList {
  const { invalid, mostFilters, named = () => undefined } = door
  const filters = readFilters(words.filters, named, mostFilters)
  for (const { name, operator, error } of filters) {
    if (error) invalid(name, operator ?? 'filter', filterErrorMessage(error))
  }
  const list = {
    conditions: [...(words.conditions ?? []), ...conditionsOf(filters)],
    sorts: readSorts(words.sort, resource.sortable, invalid),
    deleted: readDeleted(words.deleted, invalid),
  }
  const positionOf = (cursor: string) => readCursor(resource, list, cursor)
  return { ...list, filters, paging: readPaging(words.paging, door, positionOf) }
}
