import type { HttpContext } from '@adonisjs/core/http'
import type { Condition } from '#base/columns/condition'
import { invalidParameter, malformedUrl, unknownParameter } from '#base/http/problems'
import { closest } from 'fastest-levenshtein'
import type { CrudConfig } from '../define_config.js'
import type { Resource } from '../resource/resource.js'
import type { Column } from '#base/columns/column'
import type { NamedFilter } from '#base/columns/filter'

/** The fields of related records that a request names, such as `distributor.name`, as the caller can see them. */
export interface RelatedLookup {
  /** Returns the meaning of a filter such as `distributor.name__contains` */
  filter(name: string): NamedFilter | undefined
  /** Returns the column to sort by for `distributor.name`; undefined where a record can have several */
  sortable(name: string): Column | undefined
  /**
   * Returns the condition for a value of application code; undefined for an unknown name.
   *
   * @throws UnreadableFilter
   */
  ofValue(name: string, value: unknown, isNegated: boolean): Condition | undefined
}

const PREFIX = /^(?:any\.\d{1,9}\.)?(?:not\.)?/

/** Returns the names with dots among the names of filters and of a sort order, without prefixes. */
export function relatedNames(filters: Iterable<string>, sort: string | undefined): string[] {
  const words = (sort ?? '').split(',').map((word) => word.replace(/^-/, ''))
  const names = [...filters].map((name) => name.replace(PREFIX, ''))
  return [...new Set([...names, ...words])].filter((name) => name.includes('.'))
}

/**
 * Parameters of a query string as they were sent, independently of the application's parser: commas do not create
 * lists, and brackets do not create objects.
 */
export class QueryString {
  readonly #values = new Map<string, string[]>()
  readonly #nested = new Set<string>()
  /** Conditions that the application computes for the request; undefined if they are not computed */
  computed?: readonly Condition[]
  /** Fields of related records that the parameters name */
  related?: RelatedLookup

  /**
   * @param text  query string without the question mark
   * @throws Problem 400  for an invalid percent encoding
   */
  constructor(text: string) {
    for (const pair of text.split('&')) {
      if (pair === '') continue
      const cut = pair.indexOf('=')
      const name = decode(cut < 0 ? pair : pair.slice(0, cut))
      const value = cut < 0 ? '' : decode(pair.slice(cut + 1))

      const bracket = name.indexOf('[')
      if (bracket > 0) this.#nested.add(name.slice(0, bracket))
      else if (this.#values.has(name)) this.#values.get(name)!.push(value)
      else this.#values.set(name, [value])
    }
  }

  /** The names of all parameters. */
  get names(): string[] {
    return [...new Set([...this.#values.keys(), ...this.#nested])]
  }

  has(name: string): boolean {
    return this.#values.has(name) || this.#nested.has(name)
  }

  /**
   * Returns the value of a parameter, or undefined if it is absent.
   *
   * @throws Problem 422  when it was sent twice, or with brackets
   */
  get(name: string): string | undefined {
    const values = this.all(name)
    if (values.length > 1) throw invalidParameter(name, 'single', 'must be given once')
    return values[0]
  }

  /**
   * Returns the values of a parameter that can be repeated; empty if it is absent.
   *
   * @throws Problem 422  when it was sent with brackets
   */
  all(name: string): readonly string[] {
    if (this.#nested.has(name)) {
      throw invalidParameter(name, 'single', 'must be a single value, without brackets')
    }
    return this.#values.get(name) ?? []
  }
}

/** Returns the parameters of a request. */
export function queryOf({ request }: HttpContext): QueryString {
  return new QueryString(request.parsedUrl.query ?? '')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw malformedUrl()
  }
}

/** Maximum length of a name that is compared with the known names, as this takes time in proportion to its length */
const COMPARED_MAX = 200

/**
 * Refuses an unknown parameter.
 *
 * @throws Problem 422  with the most similar known name, unless the unknown name is too long to be one
 */
export function refuseUnknown(query: QueryString, known: readonly string[]): void {
  const unknown = query.names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const isCompared = known.length > 0 && unknown.length <= COMPARED_MAX
    throw unknownParameter(unknown, isCompared ? closest(unknown, known) : undefined)
  }
}

/** Refuses every parameter of a write, if the configuration is strict. */
export function checkWriteQuery(query: QueryString, config: CrudConfig): void {
  if (config.strictQuery) refuseUnknown(query, [])
}

/*
 * The only list of the engine's query parameters, used by the parsers, strictQuery and the API schema. Filters are in
 * each model's `filterConfig`.
 */
const OF_ITEMS = ['fields', 'include', 'deleted'] as const
const OF_LISTS = ['offset', 'limit', 'page', 'itemsPerPage', 'cursor', 'count', 'sort'] as const

export type OwnParameter = (typeof OF_ITEMS)[number] | (typeof OF_LISTS)[number]

/** All parameters of any model. */
export const OWN_PARAMETERS: readonly OwnParameter[] = [...OF_LISTS, ...OF_ITEMS]

const OF_AGGREGATES = ['group_by', 'select', 'sort', 'limit'] as const

export type AggregateParameter = (typeof OF_AGGREGATES)[number]

/** Returns the parameters of an aggregation, without filters. */
export function aggregateParameters(resource: Resource): Array<AggregateParameter | 'deleted'> {
  const own = OF_AGGREGATES.filter((name) => !resource.filters.get(name))
  return [...own, ...existing(resource, ['deleted'] as const)]
}

/**
 * Returns the value of a parameter of an aggregation.
 *
 * @returns undefined if it is absent, or if a filter has its name
 * @throws Problem 422  when it was sent twice, or with brackets
 */
export function aggregateParameter(
  { filters }: Resource,
  query: QueryString,
  name: AggregateParameter
): string | undefined {
  return filters.get(name) ? undefined : query.get(name)
}

/** Returns the parameters of a request for one item, without filters. */
export function itemParameters(resource: Resource): OwnParameter[] {
  return existing(resource, OF_ITEMS)
}

/** Returns the parameters of a list request, without filters. */
export function listParameters(resource: Resource): OwnParameter[] {
  return existing(resource, [...OF_LISTS, ...OF_ITEMS])
}

/**
 * Returns the value of one of the engine's parameters.
 *
 * @returns undefined if it is absent or the resource does not have the parameter
 * @throws Problem 422  when it was sent twice, or with brackets
 */
export function ownParameter(
  resource: Resource,
  query: QueryString,
  name: OwnParameter
): string | undefined {
  return isParameter(resource, name) ? query.get(name) : undefined
}

function existing<Name extends OwnParameter>(resource: Resource, names: readonly Name[]): Name[] {
  return names.filter((name) => isParameter(resource, name))
}

/** True if the resource has the parameter. A filter of the same name takes precedence. */
function isParameter({ filters, showDeleted, softDelete }: Resource, name: OwnParameter): boolean {
  if (filters.get(name)) return false
  return name !== 'deleted' || (showDeleted && softDelete !== undefined)
}
