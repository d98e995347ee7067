import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { conditionsFromCode, type ListRequest } from '../request/list_request.js'
import type { Selection } from '../sql/select.js'
import { countAllowed, countAllowedByDay, isAnyAllowed } from './lists/allowed_records.js'
import { type CallOptions, type SelectOptions, clientFor } from './call_options.js'
import type { Records } from './records.js'
import { relatedInCode } from './related/related_fields.js'
import { DateTime } from 'luxon'
import { inUtc } from '#base/values/datetime'
import { ValueError } from '#base/errors'
import type { Column } from '#base/columns/column'
import type { Resource } from '../resource/resource.js'
import { isHiddenFrom } from '../request/item_request.js'

type Filters = Record<string, unknown>

/** Counts the items that match the filters. See `LucidCrud.count`. */
export async function countItems(
  records: Records,
  filters: Filters,
  options: SelectOptions
): Promise<number | null> {
  const client = await clientFor(records.resource, options)
  const matching = await selectMatching(records, filters, client, options)
  return records.authorizesRecords(options)
    ? await countAllowed(records, client, matching, options)
    : await records.reader.counts.all(client, matching)
}

/** Options of `countByDay`. */
export interface DayOptions extends CallOptions {
  /** Time zone that defines the days; default: UTC */
  zone?: string
  /** The list whose items are counted; default: all items */
  request?: ListRequest
}

/** Counts the items of each day. See `LucidCrud.countByDay`. */
export async function countItemsByDay(
  records: Records,
  apiName: string,
  first: string | null,
  { zone = 'utc', request, ...options }: DayOptions
): Promise<Array<{ day: string; count: number }> | null> {
  const { resource } = records
  const client = await clientFor(resource, options)
  const filters =
    first === null
      ? { [`${apiName}__is_not`]: null }
      : { [`${apiName}__gte`]: beginOfDay(first, zone) }
  const selected = await selectMatching(records, filters, client, options)
  const listed = request && records.byConditions(request.shownBy(resource), client, options)
  const matching = listed ? { ...listed, where: [...listed.where, ...selected.where] } : selected
  const column = records.resource.columns.find(apiName)!
  const counts = records.authorizesRecords(options)
    ? await countAllowedByDay(records, client, column, matching, zone, options)
    : await records.reader.counts.byDay(client, column, matching, zone)
  return counts && [...counts].map(([day, count]) => ({ day, count }))
}

/** True if the actor can read any item that matches the filters; for policies that authorize each record. */
export async function anyItemAllowed(
  records: Records,
  filters: Filters,
  options: SelectOptions
): Promise<boolean> {
  const client = await clientFor(records.resource, options)
  const matching = await selectMatching(records, filters, client, options)
  return await isAnyAllowed(records, client, matching, options)
}

/** Selects the matching rows, after the policy has allowed the actor to list items. */
async function selectMatching(
  records: Records,
  filters: Filters,
  client: QueryClientContract,
  options: SelectOptions
): Promise<Selection> {
  await records.authorize('read_multi', options)
  const { resource } = records
  const related = await relatedInCode(resource, filters, { ...options, client })
  const conditions = conditionsFromCode(resource, filters, related)
  const { deleted = 'exclude' } = options
  return records.byConditions({ conditions, deleted }, client, options)
}

/**
 * Returns the start of a day in a time zone, in the format of filter values.
 *
 * @param day  date such as `2026-03-29`
 */
export function beginOfDay(day: string, zone: string): string {
  return inUtc(DateTime.fromISO(day, { zone }).startOf('day'))
}

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
