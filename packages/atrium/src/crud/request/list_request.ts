import type { CrudConfig } from '../define_config.js'
import { conflictsWithCursor, invalidParameter } from '#base/http/problems'
import { ValueError } from '#base/errors'
import type { IncludedRelation, Resource } from '../resource/resource.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import type { Condition } from '#base/columns/condition'
import { readCursor, type CursorList } from './cursor.js'
import { fieldsOf, type Fields } from '#base/columns/fields'
import { shownFields } from './shown_fields.js'
import { selectIncludes, readItemParameters } from './item_request.js'
import { pageOf, parseCursorLimit, parsePaging, type Paging } from './paging.js'
import { listParameters, ownParameter } from './parameters.js'
import { type QueryString, refuseUnknown } from './query_string.js'
import { parseSort, type Sort } from '#base/columns/sort'
import { parseFilters, conditionsFromCode } from './filter_requests.js'

/** The list request of own code. */
export interface ListQuery {
  /** Filter name (`price__gte`) -> value; any column, as own code is trusted */
  filters?: Record<string, unknown>
  /** As in `name,-price` */
  sort?: string
  offset?: number
  limit?: number
  page?: number
  itemsPerPage?: number
  /**
   * The `next_cursor` of the previous part, empty for the first; with `limit` alone, there is no total
   * [Q4]
   */
  cursor?: string
  deleted?: DeletedMode
  /** API names, as in `id,name` or a list of them; undefined: all fields [Q2] */
  fields?: string | Iterable<string>
  /** Declared relations to include, as in `distributor` or a list of them [Q3] */
  include?: string | Iterable<string>
  /** False: `total_count` is left out, and `has_more` comes from reading one more row [Q5] */
  count?: boolean
}

/** The optional parts of a list request. */
interface Extent {
  /** Undefined: all of them [Q2] */
  fields?: Fields
  /** The relations to include [Q3] */
  include?: readonly IncludedRelation[]
  /** True or false if the caller requested the total or declined it [Q5] */
  count?: boolean
}

/** A parsed and checked list request; no code below checks it again. */
export class ListRequest {
  readonly fields: Fields | undefined
  readonly include: readonly IncludedRelation[]
  readonly count: boolean | undefined

  constructor(
    readonly conditions: readonly Condition[],
    readonly sorts: readonly Sort[],
    readonly paging: Paging,
    readonly deleted: DeletedMode,
    { fields, include = [], count }: Extent = {}
  ) {
    this.fields = fields
    this.include = include
    this.count = count
  }

  /**
   * Parses a query string. [A10 to A19, Q2 to Q5]
   *
   * @param paged  true if a request without paging parameters means page 1
   * @throws Problem 400 or 422
   */
  static parse(
    resource: Resource,
    query: QueryString,
    config: CrudConfig,
    paged: boolean = false
  ): ListRequest {
    if (config.strictQuery) {
      const filters = resource.filters.all.map((filter) => filter.name)
      refuseUnknown(query, [...listParameters(resource), ...filters])
    }

    const sort = ownParameter(resource, query, 'sort')
    const { deleted, ...extent } = readItemParameters(resource, query)
    const list = {
      conditions: parseFilters(resource, query),
      sorts: sort === undefined ? [] : parseSort(sort, resource.sortable),
      deleted,
    }
    const count = parseCount(resource, query)
    const cursor = ownParameter(resource, query, 'cursor')
    if (cursor !== undefined && count) throw conflictsWithCursor('count=true')
    const paging: Paging =
      cursor === undefined
        ? parsePaging(query, config.pagination, paged)
        : cursorPaging(resource, list, cursor, parseCursorLimit(query, config.pagination))
    return new ListRequest(list.conditions, list.sorts, paging, deleted, { ...extent, count })
  }

  /**
   * Reads the list request of own code.
   *
   * @throws ValueError  for invalid filters or paging parameters
   * @throws Problem 422  for an invalid sort, cursor or field
   */
  static fromCode(
    resource: Resource,
    query: ListQuery,
    pagination: CrudConfig['pagination']
  ): ListRequest {
    const list = {
      conditions: conditionsFromCode(resource, query.filters ?? {}),
      sorts: query.sort ? parseSort(query.sort, resource.sortable) : [],
      deleted: query.deleted ?? 'exclude',
    }
    const { cursor } = query
    const paging = pagingFromCode(query, pagination)
    return new ListRequest(
      list.conditions,
      list.sorts,
      cursor === undefined ? paging : cursorPaging(resource, list, cursor, paging.limit),
      list.deleted,
      {
        fields: shownFields(resource, fieldsOf(resource, query.fields)),
        include: selectIncludes(resource, query.include),
        count: query.count,
      }
    )
  }
}

/**
 * @param cursor  empty: from the start
 * @throws Problem 422  for a cursor of another list
 */
function cursorPaging(resource: Resource, list: CursorList, cursor: string, limit: number): Paging {
  const after = cursor === '' ? null : readCursor(resource, list, cursor)
  return { shape: 'cursor', after, offset: 0, limit }
}

function pagingFromCode(query: ListQuery, pagination: CrudConfig['pagination']): Paging {
  const hasCursor = query.cursor !== undefined
  if (hasCursor && query.count) throw new ValueError('cursor goes with limit, not with count')
  for (const name of ['offset', 'limit', 'page', 'itemsPerPage'] as const) {
    const value = query[name]
    if (value === undefined) continue
    if (hasCursor && name !== 'limit') {
      throw new ValueError(`cursor goes with limit, not with ${name}`)
    }
    const least = name === 'page' || name === 'itemsPerPage' || hasCursor ? 1 : 0
    if (!(Number.isSafeInteger(value) && value >= least)) {
      throw new ValueError(`${name} is ${value}, and must be an integer of ${least} or more`)
    }
  }
  const { page, itemsPerPage, offset = 0, limit = pagination.limit } = query
  return page !== undefined || itemsPerPage !== undefined
    ? pageOf(page ?? 1, itemsPerPage ?? pagination.itemsPerPage)
    : { shape: 'offset', offset, limit }
}

/** @returns undefined if the parameter is absent */
function parseCount(resource: Resource, query: QueryString): boolean | undefined {
  const text = ownParameter(resource, query, 'count')
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false') {
    throw invalidParameter('count', 'boolean', 'must be true or false')
  }
  return text === 'true'
}
