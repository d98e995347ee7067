import type { Column } from '#base/columns/column'
import type { Resource } from '../resource/resource.js'
import type { Fields } from '#base/columns/fields'

/** Removes hidden fields from a selection, which can have been created with the unrestricted resource. */
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
