import type { CrudConfig } from '../define_config.js'
import { invalidParameter, unknownParameter } from '../http/problems.js'
import { parseFilterName } from '../filter_config.js'
import { ValueError } from '../errors.js'
import type { Column } from '../resource/column.js'
import type { Resource } from '../resource/resource.js'
import { DELETED_MODES, type DeletedMode } from '../resource/soft_delete.js'
import { closest } from 'fastest-levenshtein'
import { writeNumeral } from '../values/numbers.js'
import { toWire } from '../values/to_wire.js'
import { readCondition, UnreadableFilter, type Condition } from './condition.js'
import { pageOf, PAGING_PARAMETERS, parsePaging, type Paging } from './paging.js'
import type { QueryString } from './query_string.js'
import { parseSort, type Sort } from './sorting.js'

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
  deleted?: DeletedMode
}

/**
 * A list that was asked for, read and checked: nothing below looks at it again.
 */
export class ListRequest {
  constructor(
    readonly conditions: readonly Condition[],
    readonly sorts: readonly Sort[],
    readonly paging: Paging,
    readonly deleted: DeletedMode
  ) {}

  /**
   * Reads a query string. [A10 to A19]
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
    if (config.strictQuery) refuseUnknown(query, listParameters(resource))

    const sort = ownParameter(resource, query, 'sort')
    return new ListRequest(
      parseFilters(resource, query),
      sort === undefined ? [] : parseSort(sort, resource.sortable),
      parsePaging(query, config.pagination, paged),
      parseDeleted(resource, query)
    )
  }

  /**
   * Takes what own code asks for.
   *
   * @throws ValueError  for a filter that can't be
   * @throws Problem 422  for a sort that can't be
   */
  static fromCode(
    resource: Resource,
    query: ListQuery,
    pagination: CrudConfig['pagination']
  ): ListRequest {
    for (const name of ['offset', 'limit', 'page', 'itemsPerPage'] as const) {
      const value = query[name]
      const least = name === 'page' || name === 'itemsPerPage' ? 1 : 0
      if (value !== undefined && !(Number.isSafeInteger(value) && value >= least)) {
        throw new ValueError(`${name} is ${value}, and must be an integer of ${least} or more`)
      }
    }
    const { page, itemsPerPage, offset = 0, limit = pagination.limit } = query
    const paging: Paging =
      page !== undefined || itemsPerPage !== undefined
        ? pageOf(page ?? 1, itemsPerPage ?? pagination.itemsPerPage)
        : { shape: 'offset', offset, limit }

    return new ListRequest(
      conditionsFromCode(resource, query.filters ?? {}),
      query.sort ? parseSort(query.sort, resource.sortable) : [],
      paging,
      query.deleted ?? 'exclude'
    )
  }
}

/**
 * Reads `?deleted=include` or `only`, where the resource shows deleted items at all. [A22]
 */
export function parseDeleted(resource: Resource, query: QueryString): DeletedMode {
  if (!canShowDeleted(resource)) return 'exclude'
  const mode = ownParameter(resource, query, 'deleted')
  if (mode === undefined || mode === '') return 'exclude'
  if (!DELETED_MODES.includes(mode as DeletedMode)) {
    throw invalidParameter('deleted', 'deleted', `must be one of ${DELETED_MODES.join(', ')}`)
  }
  return mode as DeletedMode
}

/**
 * Refuses, where the configuration wants it, what a read of one item does not know. [A19]
 */
export function checkItemQuery(resource: Resource, query: QueryString, config: CrudConfig): void {
  if (config.strictQuery) {
    refuseUnknown(query, canShowDeleted(resource) ? ['deleted'] : [])
  }
}

/**
 * The same for a write, which knows no parameter at all. [A19]
 */
export function checkWriteQuery(query: QueryString, config: CrudConfig): void {
  if (config.strictQuery) refuseUnknown(query, [])
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

function canShowDeleted(resource: Resource): boolean {
  return resource.showDeleted && resource.softDelete !== undefined
}

function listParameters(resource: Resource): string[] {
  return [
    ...PAGING_PARAMETERS,
    'sort',
    ...(canShowDeleted(resource) ? ['deleted'] : []),
    ...resource.filters.all.map((filter) => filter.name),
  ]
}

/** A filter that is called like a parameter of ours wins over it. [A17] */
function ownParameter(resource: Resource, query: QueryString, name: string): string | undefined {
  return resource.filters.get(name) ? undefined : query.get(name)
}

function refuseUnknown(query: QueryString, known: string[]): void {
  const unknown = query.names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw unknownParameter(unknown, known.length > 0 ? closest(unknown, known) : undefined)
  }
}
