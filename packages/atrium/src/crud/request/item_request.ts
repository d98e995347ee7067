import { invalidParameter, refuseInvalid } from '#base/http/problems'
import type { IncludedRelation, Resource } from '../resource/resource.js'
import type { Problem } from '#base/errors'
import type { CrudConfig } from '../define_config.js'
import { readDeleted, type DeletedMode } from '#base/columns/soft_delete'
import { selectFields, type Fields } from '#base/columns/fields'
import { itemParameters, ownParameter, refuseUnknown, type QueryString } from './query_string.js'
import type { Column } from '#base/columns/column'

/** Removes hidden fields from a selection, which may have been created with the unrestricted resource. */
export function shownFields(resource: Resource, fields: Fields): Fields
export function shownFields(resource: Resource, fields: Fields | undefined): Fields | undefined
export function shownFields(resource: Resource, fields: Fields | undefined): Fields | undefined {
  if (!fields || !resource.projection) return fields
  const columns = fields.columns.filter((column) => !isHiddenFrom(resource, column))
  const computed = [...fields.computed].filter(([attribute]) => resource.computed.has(attribute))
  const isAll = columns.length === fields.columns.length && computed.length === fields.computed.size
  return isAll ? fields : { columns, computed: new Map(computed) }
}

/**
 * True if grants hide a column on all records. Columns that the model itself hides remain available to application
 * code.
 */
export function isHiddenFrom({ projection }: Resource, { apiName }: Column): boolean {
  return projection?.hidden.has(apiName) ?? false
}

/**
 * Reads the relations to include, as `distributor,genres` or as a list of names. Returns them in the order of their
 * declaration.
 *
 * @throws Problem 422  for any other name, or an empty part
 */
export function selectIncludes(
  resource: Resource,
  wanted: string | Iterable<string | IncludedRelation> = []
): IncludedRelation[] {
  const list = typeof wanted === 'string' ? wanted.split(',') : [...wanted]
  const names = new Set(list.map((one) => (typeof one === 'string' ? one : one.name)))
  const { includes } = resource
  for (const name of names) {
    if (includes.has(name)) continue
    throw notIncluded(name, [...includes.keys()])
  }
  return [...includes.values()].filter((include) => names.has(include.name))
}

/** @param names  the relations that can be included */
export function notIncluded(name: string, names: readonly string[]): Problem {
  return invalidParameter(
    'include',
    'include',
    names.length === 0
      ? 'can not be used here: nothing can be included'
      : `must be names of what can be included with commas between, not "${name}"; names are ${names.join(', ')}`
  )
}

/** The requested parts of an item. */
interface ItemRequest {
  /** Requested fields; undefined: all fields */
  fields?: Fields
  /** The relations to include */
  include: readonly IncludedRelation[]
  deleted: DeletedMode
}

/**
 * Reads the query string of a request for one item.
 *
 * @throws Problem 422
 */
export function parseItemRequest(
  resource: Resource,
  query: QueryString,
  config: CrudConfig
): ItemRequest {
  if (config.strictQuery) refuseUnknown(query, itemParameters(resource))
  const deleted = readDeleted(ownParameter(resource, query, 'deleted'), refuseInvalid)
  return { ...readItemParameters(resource, query), deleted }
}

/**
 * Reads the parameters that requests for one item and for a list share.
 *
 * @throws Problem 422
 */
export function readItemParameters(
  resource: Resource,
  query: QueryString
): Omit<ItemRequest, 'deleted'> {
  const fields = ownParameter(resource, query, 'fields')
  const include = ownParameter(resource, query, 'include')
  return {
    fields: fields === undefined ? undefined : selectFields(resource, fields),
    include: include === undefined ? [] : selectIncludes(resource, include),
  }
}
