import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { conditionsFromCode, type ListRequest } from '../request/list_request.js'
import type { Selection } from '../sql/select.js'
import { countAllowed, countAllowedByTime, isAnyAllowed } from './lists/count_allowed.js'
import { type CallOptions, type SelectOptions, clientFor } from './call_options.js'
import { beginOfDay, intoDays, partFor } from './lists/days_in_zone.js'
import type { Records } from './records.js'
import { relatedInCode } from './related/related_fields.js'

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
