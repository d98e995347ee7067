import type { CrudConfig } from '../define_config.js'
import { invalidParameter } from '#base/http/problems'
import type { IncludedRelation, Resource } from '../resource/resource.js'
import { DELETED_MODES, type DeletedMode } from '#base/columns/soft_delete'
import { selectFields, type Fields } from '#base/columns/fields'
import { selectIncludes } from './include_parameter.js'
import { canShowDeleted, itemParameters, ownParameter } from './parameters.js'
import type { QueryString } from './query_string.js'
import { refuseUnknown } from './strict_query.js'

/** The parts of its items that a request wants. */
export interface ItemRequest {
  /** Undefined: all of them [Q2] */
  fields?: Fields
  /** The relations to include [Q3] */
  include: readonly IncludedRelation[]
  deleted: DeletedMode
}

/**
 * Reads the query string of a read of one item.
 *
 * @throws Problem 422
 */
export function parseItemRequest(
  resource: Resource,
  query: QueryString,
  config: CrudConfig
): ItemRequest {
  if (config.strictQuery) refuseUnknown(query, itemParameters(resource))
  return readItemParameters(resource, query)
}

/**
 * Reads the parameters that the read of one item and the list share.
 *
 * @throws Problem 422
 */
export function readItemParameters(resource: Resource, query: QueryString): ItemRequest {
  const fields = ownParameter(resource, query, 'fields')
  const include = ownParameter(resource, query, 'include')
  return {
    fields: fields === undefined ? undefined : selectFields(resource, fields),
    include: include === undefined ? [] : selectIncludes(resource, include),
    deleted: parseDeleted(resource, query),
  }
}

/** Reads `?deleted=include` or `only`, if the resource shows deleted items. [A22] */
export function parseDeleted(resource: Resource, query: QueryString): DeletedMode {
  if (!canShowDeleted(resource)) return 'exclude'
  const mode = ownParameter(resource, query, 'deleted')
  if (mode === undefined || mode === '') return 'exclude'
  if (!DELETED_MODES.includes(mode as DeletedMode)) {
    throw invalidParameter('deleted', 'deleted', `must be one of ${DELETED_MODES.join(', ')}`)
  }
  return mode as DeletedMode
}
