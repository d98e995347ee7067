import type { Column } from '#base/columns/column'
import { tooManyToAuthorize, tooManyValues } from '#base/http/problems'
import { readCondition, type Condition } from '#base/columns/condition'
import { textOf } from '#base/values/numbers'
import { readAggregation } from '../../request/aggregate_request.js'
import type { ListRequest } from '../../request/list_request.js'
import type { AggregateRow } from '../../sql/aggregates.js'
import { type CallOptions, clientFor } from '../call_options.js'
import type { Records } from '../records.js'
import { aggregateAllowed } from '../aggregate.js'
import { MOST_AUTHORIZED } from './allowed_records.js'

/** Maximum number of different values that are compared without case and spaces */
const MOST_VALUES = 500_000

/** Maximum number of spellings in a condition: SQLite limits the depth of expressions */
const MOST_SPELLINGS = 200

export interface DuplicateOptions extends CallOptions {
  /** API names of the columns whose values agree */
  columns: readonly string[]
  /** True to compare texts in lower case, normalized (NFKC), trimmed and with single spaces */
  ignoresCase?: boolean
}

/** Records that agree in the compared columns. */
export interface Duplicates {
  /** The stored values of the records, by API name; more than one if only case and spaces differ */
  values: AggregateRow[]
  count: number
  /** Condition for the records of the group; if it has more than 200 spellings, only for records with the first 200 */
  condition: Condition
}

/** Finds records that agree in columns, the largest groups first. See `LucidCrud.duplicates`. */
export async function findDuplicates(
  records: Records,
  request: ListRequest,
  { columns, ignoresCase = false, ...options }: DuplicateOptions
): Promise<Duplicates[]> {
  const { resource } = records
  const client = await clientFor(resource, options)
  await records.authorize('read_multi', options)
  const words = { groupBy: columns, select: 'count', sort: '-count' }
  const aggregation = readAggregation(resource, words)
  const compared = aggregation.groups.map(({ column }) => column)
  const isFolding = ignoresCase && compared.some(({ isText }) => isText)
  const shown = request.shownBy(resource)
  const filled = compared.map((column): Condition => ({ type: 'null', column, negate: true }))
  const conditions = [...shown.conditions, ...filled]
  const matching = records.byConditions({ ...shown, conditions }, client, options)
  const wanted = { ...aggregation, limit: MOST_VALUES + 1, least: isFolding ? 1 : 2 }
  const rows = records.authorizesRecords(options)
    ? await aggregateAllowed(records, client, matching, wanted, options)
    : await records.reader.aggregates.groups(client, matching, wanted)
  if (!rows) throw tooManyToAuthorize(MOST_AUTHORIZED)
  if (rows.length > MOST_VALUES) throw tooManyValues(MOST_VALUES)
  return grouped(rows, compared, isFolding)
}

function conditionOf(columns: readonly Column[], values: readonly AggregateRow[]): Condition {
  return {
    type: 'or',
    conditions: values.map((row): Condition => ({
      type: 'and',
      conditions: columns.map((column) =>
        readCondition(column, column.isText ? 'exact' : 'eq', textOf(row[column.apiName]))
      ),
    })),
  }
}

function grouped(
  rows: readonly AggregateRow[],
  columns: readonly Column[],
  isFolding: boolean
): Duplicates[] {
  const groups = new Map<string, Omit<Duplicates, 'condition'>>()
  for (const { count, ...values } of rows) {
    const keys = columns.map((column) => comparedForm(column, values[column.apiName], isFolding))
    if (keys.includes('')) continue
    const id = JSON.stringify(keys)
    const group = groups.get(id)
    if (group) {
      group.values.push(values)
      group.count += count as number
    } else groups.set(id, { values: [values], count: count as number })
  }
  return [...groups.values()]
    .filter(({ count }) => count > 1)
    .toSorted((one, other) => other.count - one.count)
    .map((group) => ({
      ...group,
      /* Created on demand, because there can be many groups. */
      get condition() {
        return conditionOf(columns, group.values.slice(0, MOST_SPELLINGS))
      },
    }))
}

/** Returns the form in which values are compared; empty for an empty cell, which agrees with no other. */
function comparedForm(column: Column, value: unknown, isFolding: boolean): string {
  const text = value === null || value === undefined ? '' : textOf(value)
  if (!isFolding || !column.isText) return text
  return text.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/g, ' ')
}
