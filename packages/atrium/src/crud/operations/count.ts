import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { conditionsFromCode, type ListRequest } from '../request/list_request.js'
import type { Selection } from '../sql/select.js'
import { countAllowed, countAllowedByTime, isAnyAllowed } from './lists/count_allowed.js'
import { type CallOptions, type SelectOptions, clientFor } from './call_options.js'
import type { Records } from './records.js'
import { relatedInCode } from './related/related_fields.js'
import { DateTime, IANAZone } from 'luxon'
import type { TimePart } from '#base/database/dialect'
import { fromUtc, inUtc } from '#base/values/datetime'
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
  const part = partFor(zone)
  const counts = records.authorizesRecords(options)
    ? await countAllowedByTime(records, client, column, matching, part, options)
    : await records.reader.counts.byTime(client, column, matching, part)
  return counts && intoDays(counts, zone)
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

/* Minutes to which time zone offsets are rounded: since 1972, all offsets from UTC are multiples of 15 minutes. */
const QUARTER = 15
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * Returns the start of a day in a time zone, in the format of filter values.
 *
 * @param day  date such as `2026-03-29`
 */
export function beginOfDay(day: string, zone: string): string {
  return inUtc(DateTime.fromISO(day, { zone }).startOf('day'))
}

/** Returns the smallest part of a UTC time that determines the day in a time zone. */
export function partFor(zone: string): TimePart {
  if (zone.toLowerCase() === 'utc') return 'day'
  const offsets = [1, 7].map((month) =>
    IANAZone.create(zone).offset(Date.UTC(new Date().getUTCFullYear(), month))
  )
  return offsets.every((offset) => offset % 60 === 0) ? 'hour' : 'minute'
}

/**
 * Sums counts per UTC day, hour or minute to counts per day of a time zone.
 *
 * @param counts  counts by start time, as `YYYY-MM-DD HH:MM`, in the unit that `partFor` returns
 */
export function intoDays(
  counts: ReadonlyMap<string, number>,
  zone: string
): Array<{ day: string; count: number }> {
  const offsetAt = offsetsOf(zone)
  const known = new Map<string, string>()
  const days = new Map<string, number>()
  for (const [begun, count] of counts) {
    const quarter = beginOfQuarter(begun)
    let day = known.get(quarter)
    if (day === undefined) known.set(quarter, (day = dayOf(quarter, offsetAt)))
    days.set(day, (days.get(day) ?? 0) + count)
  }
  return [...days].map(([day, count]) => ({ day, count }))
}

/** Rounds a time down to 15 minutes. Databases without a datetime type can have a `T` before the time. */
function beginOfQuarter(begun: string): string {
  const minutes = begun.slice(14)
  const begin = begun.slice(0, 13).replace('T', ' ')
  if (begun.length <= 10) return begun
  const quarter = Math.floor(Number(minutes) / QUARTER) * QUARTER
  return `${begin}:${String(quarter).padStart(2, '0')}:00`
}

function dayOf(moment: string, offsetAt: (time: number) => number): string {
  if (moment.length <= 10) return moment
  const time = fromUtc(moment).toMillis()
  const local = new Date(time + offsetAt(time) * MINUTE)
  return Number.isNaN(local.getTime()) ? moment.slice(0, 10) : local.toISOString().split('T')[0]
}

/**
 * Returns a function for the offset of a time zone from UTC, in minutes. The offset is calculated once per day, and for
 * each time only on the few days on which it changes.
 */
function offsetsOf(zone: string): (time: number) => number {
  const iana = IANAZone.create(zone)
  const begins = new Map<number, number>()
  const atBegin = (day: number) => {
    let offset = begins.get(day)
    if (offset === undefined) begins.set(day, (offset = iana.offset(day * DAY)))
    return offset
  }
  return (time) => {
    const day = Math.floor(time / DAY)
    const offset = atBegin(day)
    return offset === atBegin(day + 1) ? offset : iana.offset(time)
  }
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
