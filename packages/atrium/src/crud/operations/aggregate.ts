import { tooManyToAuthorize } from '#base/http/problems'
import { readAggregation, type AggregateInput } from '../request/aggregate_request.js'
import type { ListRequest, ListQuery } from '../request/list_request.js'
import {
  type AggregateRow,
  type Aggregation,
  type GroupKey,
  type Measure,
  averageValue,
  boundValue,
  compareValues,
  groupAlias,
  namesOf,
  sumValue,
} from '../sql/aggregates.js'
import { type CallOptions, clientFor } from './call_options.js'
import { MOST_AUTHORIZED, areCountable, allowedRecords } from './lists/allowed_records.js'
import type { Records } from './records.js'
import { listRequestInCode } from './list.js'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { SumPart } from '#base/values/decimal_sum'
import type { Column } from '#base/columns/column'
import { dialectOf } from '#base/database/dialects'
import type { ExtraColumn } from '#base/sql/sql'
import { attributeValue } from '#base/values/to_api'
import type { Selection } from '../sql/select.js'

interface Group {
  values: unknown[]
  count: number
  /** Values of each measured column, except null */
  measured: unknown[][]
}

/**
 * Aggregates the records that the policy lets the actor read, one by one.
 *
 * @returns null if there are too many to authorize each of them
 */
export async function aggregateAllowed(
  records: Records,
  client: QueryClientContract,
  matching: Selection,
  aggregation: Aggregation,
  options: CallOptions
): Promise<AggregateRow[] | null> {
  if (!(await areCountable(records, client, matching))) return null
  const { groups, least = 1, limit, measures, sorts } = aggregation
  const found = new Map<string, Group>()
  const groupFor = (values: unknown[]) => {
    const id = JSON.stringify(values)
    let group = found.get(id)
    if (!group) found.set(id, (group = { values, count: 0, measured: measures.map(() => []) }))
    return group
  }
  if (groups.length === 0) groupFor([])
  const extras = partColumns(records, client, groups)
  for await (const allowed of allowedRecords(records, client, matching, options, { extras })) {
    for (const { record, extras: parts } of allowed) {
      const values = groups.map(({ column, part }, index) =>
        part ? parts[groupAlias(index)] : groupValue(column, record)
      )
      add(groupFor(values), measures, record)
    }
  }
  const names = namesOf(aggregation)
  const large = [...found.values()].filter(({ count }) => groups.length === 0 || count >= least)
  const rows = large.map((group) => [
    ...group.values,
    ...measures.map((measure, index) => resultOf(measure, group, index)),
  ])
  const order = [...sorts, ...groups.map((_, index) => ({ index, direction: 'asc' as const }))]
  rows.sort((one, other) => {
    for (const { index, direction } of order) {
      const result = compareValues(one[index], other[index])
      if (result !== 0) return direction === 'asc' ? result : -result
    }
    return 0
  })
  return rows
    .slice(0, groups.length === 0 ? 1 : limit)
    .map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])))
}

function add(group: Group, measures: readonly Measure[], record: LucidRow): void {
  group.count++
  measures.forEach(({ column }, index) => {
    const value = column && attributeValue(column, record)
    if (value !== null && value !== undefined) group.measured[index].push(value)
  })
}

/** Returns the select expressions for the days, months and years by which records are grouped. */
function partColumns(
  { resource }: Records,
  client: QueryClientContract,
  groups: readonly GroupKey[]
): ExtraColumn[] {
  const dialect = dialectOf(client)
  return groups.flatMap(({ column, part, zone }, index) => {
    if (!part) return []
    const as = groupAlias(index)
    const begin = dialect.beginOf(resource.table, column, part, zone)
    return [{ as, sql: `${begin} as ${dialect.quote(as)}` }]
  })
}

/** Returns a value that two records share if and only if the database groups them together. */
function groupValue(column: Column, record: LucidRow): unknown {
  const value = attributeValue(column, record)
  return column.kind === 'uuid' && typeof value === 'string' ? value.toLowerCase() : value
}

function resultOf({ column, of }: Measure, { count, measured }: Group, index: number): unknown {
  if (!column) return count
  const values = measured[index]
  if (of === 'min' || of === 'max') return boundValue(column, of, values)
  const parts: SumPart[] = values.map((value) => ({ value, exponent: 0 }))
  return of === 'sum' ? sumValue(column, parts) : averageValue(parts, values.length)
}

export interface AggregateOptions extends CallOptions, AggregateInput {
  /**
   * Called with the values of all groups together, which saves a second call. Not called if there could be more groups
   * than `limit`, or if a policy decides about each record
   */
  totals?: (row: AggregateRow) => void
}

/** Aggregates the items of a list. See `LucidCrud.aggregate`. */
export async function aggregateItems(
  records: Records,
  query: ListQuery | ListRequest,
  options: AggregateOptions
): Promise<AggregateRow[]> {
  const { resource } = records
  const client = await clientFor(resource, options)
  await records.authorize('read_multi', options)
  const request = await listRequestInCode(resource, query, { ...options, client })
  const aggregation = readAggregation(resource, options)
  const matching = records.byConditions(request, client, options)
  if (!records.authorizesRecords(options)) {
    return await records.reader.aggregates.groups(client, matching, aggregation, options.totals)
  }
  const groups = await aggregateAllowed(records, client, matching, aggregation, options)
  if (!groups) throw tooManyToAuthorize(MOST_AUTHORIZED)
  return groups
}
