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
  namesOf,
  sumValue,
} from '../sql/aggregates.js'
import { type CallOptions, clientFor } from './call_options.js'
import { MOST_AUTHORIZED, areCountable } from './lists/count_allowed.js'
import type { Records } from './records.js'
import { listRequestInCode } from './list.js'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { compareNumerals, type SumPart } from '#base/values/decimal_sum'
import { textOf } from '#base/values/numbers'
import { attributeValue } from '#base/values/to_api'
import type { Selection } from '../sql/select.js'
import { allowedRecords } from './lists/allowed_records.js'

/* Numbers of characters of `YYYY` and `YYYY-MM` */
const DATE_LENGTHS = { year: 4, month: 7 }

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
  for await (const allowed of allowedRecords(records, client, matching, options)) {
    for (const { record } of allowed) {
      add(groupFor(groups.map((key) => groupValue(key, record))), measures, record)
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

/** Returns a value that two records share if and only if the database groups them together. */
function groupValue({ column, part }: GroupKey, record: LucidRow): unknown {
  const value = attributeValue(column, record)
  if (part) return typeof value === 'string' ? value.slice(0, DATE_LENGTHS[part]) : value
  return column.kind === 'uuid' && typeof value === 'string' ? value.toLowerCase() : value
}

function resultOf({ column, of }: Measure, { count, measured }: Group, index: number): unknown {
  if (!column) return count
  const values = measured[index]
  if (of === 'min' || of === 'max') {
    const sign = of === 'min' ? 1 : -1
    const bound = values.reduce(
      (found, one) => (compareValues(found, one) * sign <= 0 ? found : one),
      values[0] ?? null
    )
    return boundValue(column, bound)
  }
  const parts: SumPart[] = values.map((value) => ({ value, exponent: 0 }))
  return of === 'sum' ? sumValue(column, parts) : averageValue(parts, values.length)
}

/** Compares two API values: null first, numerals by size, texts by code point. */
function compareValues(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null)
  if (isNumeral(one) && isNumeral(other)) return compareNumerals(textOf(one), textOf(other))
  return Buffer.compare(Buffer.from(textOf(one)), Buffer.from(textOf(other)))
}

function isNumeral(value: unknown): boolean {
  return typeof value === 'number' || /^-?\d+(?:\.\d+)?$/.test(String(value))
}

export type AggregateOptions = CallOptions & AggregateInput

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
    return await records.reader.aggregates.groups(client, matching, aggregation)
  }
  const groups = await aggregateAllowed(records, client, matching, aggregation, options)
  if (!groups) throw tooManyToAuthorize(MOST_AUTHORIZED)
  return groups
}
