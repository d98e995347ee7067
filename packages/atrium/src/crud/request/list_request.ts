import type { CrudConfig } from '../define_config.js'
import { conflictsWithCursor, invalidParameter, refuseInvalid } from '#base/http/problems'
import { RuntimeError, UnreadableFilter, ValueError } from '#base/errors'
import type { IncludedRelation, Resource } from '../resource/resource.js'
import type { DeletedMode } from '#base/columns/soft_delete'
import { negated, type Condition } from '#base/columns/condition'
import type { Column } from '#base/columns/column'
import {
  conditionsOf,
  filterErrorMessage,
  filterPlace,
  parseFilterName,
  placedName,
} from '#base/columns/filter'
import type { Operator } from '#base/columns/operators'
import { fieldsOf, type Fields } from '#base/columns/fields'
import { codeText, conditionOfValue } from '../resource/filters.js'
import { isHiddenFrom, shownFields, selectIncludes, readItemParameters } from './item_request.js'
import { readListInput, type ListInput, PAGING, type Paging } from './list_grammar.js'
import { isKeyList, jsonServerParameters, jsonServerInput } from './json_server.js'
import {
  type RelatedLookup,
  aggregateParameters,
  listParameters,
  ownParameter,
  refuseUnknown,
  type OwnParameter,
  type QueryString,
} from './query_string.js'
import { splitSorts, type Sort } from '#base/columns/sort'

/** A list request of application code. */
export interface ListQuery {
  /**
   * Filter name (`price__gte`, `not.price__gte`, `any.1.price__gte`) -> value; any column is allowed, because
   * application code is trusted
   */
  filters?: Record<string, unknown>
  /** Sort order such as `name,-price` */
  sort?: string
  offset?: number
  limit?: number
  page?: number
  itemsPerPage?: number
  /**
   * The `next_cursor` of the previous part, empty for the first part; can only be combined with `limit`; there is no
   * total
   */
  cursor?: string
  deleted?: DeletedMode
  /** API names, as `id,name` or as a list; undefined: all fields */
  fields?: string | Iterable<string>
  /** Declared relations to include, as `distributor` or as a list */
  include?: string | Iterable<string>
  /**
   * False: `total_count` is omitted, and one more row is read to determine `has_more`. `estimate`: `total_count` of
   * more than 10,000 items can be an estimate, which `total_is_estimate` shows
   */
  count?: boolean | 'estimate'
}

/** The optional parts of a list request. */
interface Extent {
  /** Requested fields; undefined: all fields */
  fields?: Fields
  /** The relations to include */
  include?: readonly IncludedRelation[]
  /**
   * True or false if the caller requested the total or declined it; a number if the total can be an estimate when it is
   * higher
   */
  count?: boolean | number
}

/** Number of items up to which `count=estimate` counts */
const COUNTED = 10_000

/** A parsed and validated list request, which is not checked again by later code. */
export class ListRequest {
  readonly fields: Fields | undefined
  readonly include: readonly IncludedRelation[]
  readonly count: boolean | number | undefined

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
   * Parses a query string of the API.
   *
   * @param query  made by `listQueryOf` for a model with computed filters
   * @param paged  true if a request without paging parameters is for page 1
   * @throws Problem 400 or 422
   */
  static parse(
    resource: Resource,
    query: QueryString,
    { compat, pagination, strictQuery }: CrudConfig,
    paged: boolean = false
  ): ListRequest {
    const isJsonServer = compat.includes('json-server')
    if (strictQuery) {
      const others = isJsonServer ? jsonServerParameters(resource, query) : []
      const filters = filterNames(resource, query)
      refuseUnknown(query, [...listParameters(resource), ...filters, ...others])
    }
    const extent = readItemParameters(resource, query)
    const count = parseCount(resource, query)
    const input = isJsonServer
      ? translatedInput(resource, query, pagination)
      : apiInput(resource, query)
    const named = (name: string) => resource.filters.get(name)
    const { related } = query
    const rules = { named, related, pagination, paged, invalid: refuseInvalid }
    const { conditions, sorts, paging, deleted } = readListInput(resource, input, rules)
    if (paging.shape === 'cursor' && count) {
      throw conflictsWithCursor(count === true ? 'count=true' : 'count=estimate')
    }
    return new ListRequest(conditions, sorts, paging, deleted, { ...extent, count })
  }

  /**
   * Parses the filters of a query string of the API, for an aggregation of the list.
   *
   * @throws Problem 422
   */
  static parseFilters(
    resource: Resource,
    query: QueryString,
    { pagination, strictQuery }: CrudConfig
  ): ListRequest {
    if (strictQuery) {
      refuseUnknown(query, [...aggregateParameters(resource), ...filterNames(resource, query)])
    }
    const input = { ...apiInput(resource, query), sort: [], paging: {} }
    const named = (name: string) => resource.filters.get(name)
    const rules = { named, related: query.related, pagination, invalid: refuseInvalid }
    const { conditions, sorts, paging, deleted } = readListInput(resource, input, rules)
    return new ListRequest(conditions, sorts, paging, deleted)
  }

  /**
   * Reads a list request of application code.
   *
   * @throws ValueError  for invalid filters or paging parameters
   * @throws Problem 422  for an invalid sort, cursor or field
   */
  static fromCode(
    resource: Resource,
    query: ListQuery,
    pagination: CrudConfig['pagination'],
    related?: RelatedLookup
  ): ListRequest {
    const { conditions, sorts, paging, deleted } = readListInput(
      resource,
      codeInput(resource, query, related),
      {
        related,
        pagination: { ...pagination, maximum: Infinity },
        invalid: (field, rule, message) => {
          if (field === 'sort') throw invalidParameter(field, rule, message)
          throw new ValueError(`${field} is ${query[field as keyof ListQuery]}, and ${message}`)
        },
      }
    )
    return new ListRequest(conditions, sorts, paging, deleted, {
      fields: shownFields(resource, fieldsOf(resource, query.fields)),
      include: selectIncludes(resource, query.include),
      count: query.count === 'estimate' ? COUNTED : query.count,
    })
  }

  /** Returns the same request with other relations to include. */
  including(include: readonly IncludedRelation[]): ListRequest {
    const { conditions, count, deleted, fields, paging, sorts } = this
    return new ListRequest(conditions, sorts, paging, deleted, { fields, include, count })
  }

  /**
   * Returns the request without hidden fields and relations, if it was parsed with the unrestricted resource.
   *
   * @throws ValueError  if the request filters or sorts by a hidden field
   */
  shownBy(resource: Resource): ListRequest {
    if (!resource.projection) return this
    const named = [...this.conditions.flatMap(columnsOf), ...this.sorts.map(({ column }) => column)]
    const hidden = named.find((column) => isHiddenFrom(resource, column))
    if (hidden) {
      throw new ValueError(
        `${resource.name}: the request names ${hidden.apiName}, which the actor may not see; read it with the resource that resource.for(actor) returns`
      )
    }
    const sorts = this.sorts.map((sort) => ({
      ...sort,
      column: resource.sortable.get(sort.column.apiName) ?? sort.column,
    }))
    return new ListRequest(this.conditions, sorts, this.paging, this.deleted, {
      fields: shownFields(resource, this.fields),
      include: this.include.filter(({ name }) => resource.includes.has(name)),
      count: this.count,
    })
  }
}

/** Translates the API's parameters, and those of json-server. */
function translatedInput(
  resource: Resource,
  query: QueryString,
  pagination: CrudConfig['pagination']
): ListInput {
  const { filters, conditions, sort, paging } = jsonServerInput(resource, query, pagination)
  const own = apiInput(resource, query, {
    isRead: (name) => isKeyList(resource, query, name),
    others: filters,
  })
  return {
    ...own,
    conditions: [...(own.conditions ?? []), ...conditions],
    sort: sort ?? own.sort,
    paging: paging ?? own.paging,
  }
}

interface OtherFilters {
  /** True for a parameter that is read elsewhere */
  isRead: (name: string) => boolean
  /** Filters that were sent under other names */
  others: ReadonlyArray<readonly [name: string, text: string]>
}

/**
 * Translates the API's parameters. Only declared filters apply; an absent filter has its default.
 */
function apiInput(
  resource: Resource,
  query: QueryString,
  { isRead, others }: OtherFilters = { isRead: () => false, others: [] }
): ListInput {
  const own = (name: OwnParameter) => ownParameter(resource, query, name)
  const names = query.names.filter((name) => !isRead(name))
  const sent = new Set([...query.names, ...others.map(([name]) => name)])
  const absent = resource.filters.all.filter(({ name }) => !sent.has(name))
  if (resource.filters.areComputed && !query.computed) {
    throw new RuntimeError(`${resource.name}: the filters of this request are not computed`)
  }
  return {
    filters: [...names.flatMap((name) => filtersIn(resource, query, name)), ...others],
    conditions: [...(query.computed ?? []), ...absent.flatMap(({ fallback }) => fallback ?? [])],
    sort: splitSorts(own('sort')),
    paging: Object.fromEntries(PAGING.map((name) => [name, own(name)])),
    deleted: own('deleted'),
  }
}

/** Returns the names of the declared filters, also with each prefix in the query, such as `any.1.not.`. */
function filterNames({ filters }: Resource, query: QueryString): string[] {
  const places = query.names.map((name) => ({ ...filters.splitName(name), name: '' }))
  const prefixes = new Set(['', ...places.map(placedName)])
  const names = [...filters.all.map(({ name }) => name), ...filters.relatedNames]
  const open = query.names.filter((name) => query.related?.filter(filters.splitName(name).name))
  return [...open, ...[...prefixes].flatMap((prefix) => names.map((name) => prefix + name))]
}

/**
 * Returns the filters of a parameter: none for an undeclared one, several for one that is repeated in a group.
 * @throws Problem 422 for an undeclared filter in a group, and a repeated one outside groups
 */
function filtersIn(
  resource: Resource,
  query: QueryString,
  parameter: string
): Array<[name: string, text: string]> {
  const { name, group } = resource.filters.splitName(parameter)
  const isDeclared = Boolean(resource.filters.get(name) ?? query.related?.filter(name))
  if (group !== null) {
    const message = filterErrorMessage({ reason: 'unknown' })
    if (!isDeclared) throw invalidParameter(parameter, 'filter', message)
    return query.all(parameter).map((text) => [parameter, text])
  }
  return isDeclared ? [[parameter, query.get(parameter)!]] : []
}

/**
 * Translates a request of application code. Its filters have values instead of texts.
 * @throws ValueError
 */
function codeInput(
  resource: Resource,
  query: ListQuery,
  related: RelatedLookup | undefined
): ListInput {
  const { cursor, offset, limit, page, itemsPerPage } = query
  const others = Object.entries({ offset, page, itemsPerPage, count: query.count || undefined })
  const other = others.find(([, value]) => cursor !== undefined && value !== undefined)
  if (other) throw new ValueError(`cursor goes with limit, not with ${other[0]}`)
  const isPage = page !== undefined || itemsPerPage !== undefined
  const sent = Object.entries(isPage ? { page, itemsPerPage } : { offset, limit })
  const counts = sent.filter(([, value]) => value !== undefined)
  return {
    filters: [],
    conditions: conditionsFromCode(resource, query.filters ?? {}, related),
    sort: splitSorts(query.sort || undefined),
    paging: { ...Object.fromEntries(counts.map(([name, value]) => [name, String(value)])), cursor },
    deleted: query.deleted,
  }
}

/** Returns the requested count; undefined if the parameter is absent */
function parseCount(resource: Resource, query: QueryString): boolean | number | undefined {
  switch (ownParameter(resource, query, 'count')) {
    case undefined:
      return undefined
    case 'true':
      return true
    case 'false':
      return false
    case 'estimate':
      return COUNTED
    default:
      throw invalidParameter('count', 'enum', 'must be true, false or estimate')
  }
}

/**
 * Reads the filters of application code, on any column.
 *
 * @param filters  value by filter name, such as `{ price__gte: 10 }`
 * @throws ValueError  for an invalid name or value
 */
export function conditionsFromCode(
  resource: Resource,
  filters: Record<string, unknown>,
  related?: RelatedLookup
): Condition[] {
  const placed = Object.entries(filters).map(([written, value]) => {
    const isColumn = (name: string) => resource.columns.find(name) !== undefined
    const { name, group, isNegated } = filterPlace(written, isColumn)
    return { condition: conditionFromCode(resource, name, value, isNegated, related), group }
  })
  return conditionsOf(placed)
}

function conditionFromCode(
  resource: Resource,
  name: string,
  value: unknown,
  isNegated: boolean,
  related: RelatedLookup | undefined
): Condition {
  const { operators } = resource
  const { column: apiName, operator } = parseFilterName(name, operators.names)
  const column = resource.columns.find(apiName)
  const isKnown = column && !isHiddenFrom(resource, column)
  try {
    const condition = isKnown ? undefined : related?.ofValue(name, value, isNegated)
    if (condition) return condition
    if (!isKnown) {
      throw new ValueError(
        `Invalid filter column '${apiName}': not found in the model ${resource.name}`
      )
    }
    if (operators.has(operator)) {
      const custom = operators.condition(column, operator, codeText(column, value))
      return isNegated ? negated(column, custom) : custom
    }
    return conditionOfValue(column, operator as Operator, value, isNegated)
  } catch (error) {
    if (!(error instanceof UnreadableFilter)) throw error
    throw new ValueError(`The value of the filter '${name}' ${error.message}`)
  }
}

function columnsOf(condition: Condition): Column[] {
  switch (condition.type) {
    case 'or':
    case 'and':
      return condition.conditions.flatMap(columnsOf)
    case 'not':
      return columnsOf(condition.condition)
    case 'computed':
    case 'reached':
      return []
    default:
      return [condition.column]
  }
}
