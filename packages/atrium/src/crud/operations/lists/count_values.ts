import { ValueError } from '#base/errors'
import type { Column } from '#base/columns/column'
import type { Resource } from '../../resource/resource.js'
import type { ListRequest } from '../../request/list_request.js'
import { isHiddenFrom } from '../../request/item_request.js'
import { clientFor, type CallOptions } from '../call_options.js'
import type { Records } from '../records.js'

/** A value of a column, as the API returns it (null for no value), and the number of items that have it. */
export interface ValueCount {
  value: unknown
  count: number
}

export interface CountValuesOptions extends CallOptions {
  /** Maximum number of values to return */
  most: number
  /** Counts only this many items, those with the highest keys. Default: all */
  newest?: number
  /** Called with the number of distinct values, including those beyond `most` */
  counted?: (kinds: number) => void
}

/** Counts the items of each value of a column. See `LucidCrud.countByValue`. */
export async function countItemsByValue(
  records: Records,
  apiName: string,
  request: ListRequest,
  { most, newest, counted, ...options }: CountValuesOptions
): Promise<ValueCount[] | null> {
  const { resource } = records
  const client = await clientFor(resource, options)
  await records.authorize('read_multi', options)
  const column = resource.columns.find(apiName)
  if (!column) {
    throw new ValueError(`Invalid column '${apiName}': not found in the model ${resource.name}`)
  }
  if (!countsValues(resource, column)) return null
  const matching = records.byConditions(request.shownBy(resource), client, options)
  const { counts } = records.reader
  const { values, kinds } = await counts.byValue(client, column, matching, most, newest)
  counted?.(kinds)
  return values
}

/**
 * True if the database can count the values of a column: items show the values as stored, and every user who is allowed
 * to list the items sees all of them.
 */
export function countsValues(resource: Resource, column: Column): boolean {
  return (
    !resource.authorizesRecords &&
    !isHiddenFrom(resource, column) &&
    !resource.conceals(column) &&
    (!column.needsHydration || column.isPlainBoolean) &&
    column.kind !== 'json' &&
    column.kind !== 'binary' &&
    !resource.reader.form.serializesItself &&
    !resource.model.$hooks.has('after:fetch')
  )
}
