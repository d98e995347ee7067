import type { CrudConfig } from '../define_config.js'
import { conflictsWithCursor, invalidParameter } from '../http/problems.js'
import { parseFilterName } from '../resource/filter_config.js'
import { ValueError } from '../errors.js'
import type { Column } from '../resource/column.js'
import type { Inclusion } from '../resource/included_relation.js'
import type { Resource } from '../resource/resource.js'
import type { DeletedMode } from '../resource/soft_delete.js'
import { writeNumeral } from '../values/numbers.js'
import { toWire } from '../values/to_api.js'
import { readCondition, UnreadableFilter, type Condition } from './condition.js'
import { readCursor, type CursorList } from './cursor.js'
import { fieldsOf, type Fields } from './fields.js'
import { selectInclusions } from './include_parameter.js'
import { readItemParameters } from './item_request.js'
import { pageOf, parseCursorLimit, parsePaging, type Paging } from './paging.js'
import { listParameters, ownParameter } from './parameters.js'
import type { QueryString } from './query_string.js'
import { parseSort, type Sort } from './sort.js'
import { refuseUnknown } from './strict_query.js'

/**
 * What own code may ask of a list.
 */
export interface ListQuery {
  /** Filter name (`price__gte`) -> value; any column, as own code is trusted */
  filters?: Record<string, unknown>
  /** As in `name,-price` */
  sort?: string
  offset?: number
  limit?: number
  page?: number
  itemsPerPage?: number
  /** The `next_cursor` of the part before, empty for the first; with `limit` alone, nothing is counted [Q4] */
  cursor?: string
  deleted?: DeletedMode
  /** Wire names, as in `id,name` or a list of them; undefined: all fields [Q2] */
  fields?: string | Iterable<string>
  /** Declared relations to embed, as in `distributor` or a list of them [Q3] */
  include?: string | Iterable<string>
  /** False: `total_count` is left out, and `has_more` comes from one row further [Q5] */
  count?: boolean
}

/**
 * How much of a list an answer holds.
 */
export interface Extent {
  /** Undefined: all of them [Q2] */
  fields?: Fields
  /** The relations to embed [Q3] */
  include?: readonly Inclusion[]
  /** Whether the caller said that all matching items are to be counted, or that they are not [Q5] */
  count?: boolean
}

/**
 * A list that was asked for, read and checked: nothing below looks at it again.
 */
export class ListRequest {
  readonly fields: Fields | undefined
  readonly include: readonly Inclusion[]
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
   * Reads a query string. [A10 to A19, Q2 to Q5]
   *
   * @param paged  whether a request without paging parameters is for page 1
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
   * Takes what own code asks for.
   *
   * @throws ValueError  for a filter, or for parameters of paging, that can't be
   * @throws Problem 422  for a sort or a cursor that can't be, or a field that is none
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
        fields: fieldsOf(resource, query.fields),
        include: selectInclusions(resource, query.include),
        count: query.count,
      }
    )
  }
}

/**
 * @param cursor  empty: from the start
 * @throws Problem 422  for one that is not for this list
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

/**
 * @throws ValueError  for a name or a value that can't be
 */
export function conditionsFromCode(
  resource: Resource,
  filters: Record<string, unknown>
): Condition[] {
  return Object.entries(filters).map(([name, value]) => {
    const { column: wire, operator } = parseFilterName(name)
    const column = resource.columns.find(wire)
    if (!column) {
      throw new ValueError(
        `Invalid filter column '${wire}': not found in the model ${resource.name}`
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

/** A value of own code as a caller would have written it. */
function textOf(column: Column, value: unknown): string {
  if (value === undefined || value === null) throw new UnreadableFilter(`must not be ${value}`)
  if (typeof value === 'number') return writeNumeral(value)
  return String(typeof value === 'object' ? toWire(column, value) : value)
}

function parseFilters(resource: Resource, query: QueryString): Condition[] {
  const conditions: Condition[] = []
  for (const filter of resource.filters.all) {
    const text = query.get(filter.name)
    if (text === undefined) {
      if (filter.fallback) conditions.push(filter.fallback)
    } else if (text !== '') {
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

/** @returns undefined if the caller said nothing of it */
function parseCount(resource: Resource, query: QueryString): boolean | undefined {
  const text = ownParameter(resource, query, 'count')
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false') {
    throw invalidParameter('count', 'boolean', 'must be true or false')
  }
  return text === 'true'
}
