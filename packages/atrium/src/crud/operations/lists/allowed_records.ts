import { setImmediate } from 'node:timers/promises'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { ResponseBudget } from '../../http/response_budget.js'
import { dialectOf } from '#base/database/dialects'
import type { ExtraColumn, Sql } from '#base/sql/sql'
import type { CallOptions } from '../call_options.js'
import { positionOf, positionParts, rangesAfter } from '../../sql/keyset.js'
import type { Read } from '../../sql/reader.js'
import type { Selection } from '../../sql/select.js'
import { orderOf, type Sort, orderTerms } from '#base/columns/sort'
import type { Records } from '../records.js'
import { Problem } from '#base/errors'
import { ROWS_PER_READ } from '#base/chunks'
import type { Column } from '#base/columns/column'

/* Minimum size of a batch: each costs a statement. It is small, so that a page of ten does not read hundreds. */
const FEWEST = 20

/**
 * Yields the records that the policy lets the actor read. Records are authorized one by one, in order, and read in
 * batches; the caller stops when it has enough. A batch continues after the last row of the previous batch, whether or
 * not that row was allowed.
 *
 * @param matching  the rows in the actor's scope
 * @param ranges    conditions that narrow these rows to the requested ones, applied one after another
 * @param first     number of rows that is likely to be enough
 */
export async function* allowedRecords(
  records: Records,
  client: QueryClientContract,
  matching: Selection,
  options: CallOptions,
  {
    sorts = [],
    ranges = [[]],
    extras = [],
    first = ROWS_PER_READ,
  }: {
    sorts?: readonly Sort[]
    ranges?: readonly Sql[][]
    extras?: readonly ExtraColumn[]
    first?: number
  } = {}
): AsyncGenerator<Read[]> {
  const { key, table } = records.resource
  const dialect = dialectOf(client)
  const order = orderOf(sorts, key.columns)
  const read = [...extras, ...positionParts(order, table, dialect)]
  let limit = Math.min(Math.max(first, FEWEST), ROWS_PER_READ)
  /* Maximum size of a batch, lowered if its records would exceed the limit of a response */
  let largest = ROWS_PER_READ
  let left = ranges
  while (left.length > 0) {
    const [range, ...others] = left
    const selection = {
      where: [...matching.where, ...range],
      scope: matching.scope,
      joins: matching.joins,
      order: orderTerms(table, order, dialect),
      limit,
    }
    /* A batch is released even if some of its records are retained, so it has a separate budget. */
    const budget = options.budget && new ResponseBudget()
    let batch: Read[]
    try {
      batch = await records.reader.readRecords(client, selection, { extras: read, budget })
    } catch (error) {
      budget?.release()
      if (!(error instanceof Problem) || error.status !== 413 || limit === 1) throw error
      limit = largest = Math.ceil(limit / 8)
      continue
    }
    try {
      const allowed: Read[] = []
      for (const one of batch) {
        if (await records.allows('read', options, one.record)) allowed.push(one)
      }
      yield allowed
    } finally {
      budget?.release()
    }
    left =
      batch.length < limit
        ? others
        : rangesAfter(order, positionOf(batch.at(-1)!.extras, order), table, dialect).map((one) => [
            one,
          ])
    limit = largest
    /* A synchronous driver would otherwise block all other requests. */
    await setImmediate()
  }
}

/** Maximum number of rows that are authorized to count them; with more rows, the response has no count */
export const MOST_AUTHORIZED = 10_000

const BEGUN = 'crud_begun'

/**
 * Returns the number of records that the policy lets the actor read.
 *
 * @returns null if more than `MOST_AUTHORIZED` records would have to be authorized
 */
export async function countAllowed(
  records: Records,
  client: QueryClientContract,
  matching: Selection,
  options: CallOptions
): Promise<number | null> {
  if (!(await areCountable(records, client, matching))) return null
  let count = 0
  for await (const allowed of allowedRecords(records, client, matching, options)) {
    count += allowed.length
  }
  return count
}

/**
 * Counts the records that the policy lets the actor read, for each day of a datetime column in a time zone.
 *
 * @returns the counts by day; null as for `countAllowed`
 */
export async function countAllowedByDay(
  records: Records,
  client: QueryClientContract,
  column: Column,
  matching: Selection,
  zone: string,
  options: CallOptions
): Promise<Map<string, number> | null> {
  if (!(await areCountable(records, client, matching))) return null
  const dialect = dialectOf(client)
  const begin = dialect.beginOf(records.resource.table, column, 'day', zone)
  const extras = [{ as: BEGUN, sql: `${begin} as ${dialect.quote(BEGUN)}` }]
  const counts = new Map<string, number>()
  for await (const allowed of allowedRecords(records, client, matching, options, { extras })) {
    for (const one of allowed) {
      const begun = one.extras[BEGUN] as string
      counts.set(begun, (counts.get(begun) ?? 0) + 1)
    }
  }
  return counts
}

/** True if the policy allows the actor to read at least one of the matching records. */
export async function isAnyAllowed(
  records: Records,
  client: QueryClientContract,
  matching: Selection,
  options: CallOptions
): Promise<boolean> {
  const batches = allowedRecords(records, client, matching, options, { first: 1 })
  for await (const allowed of batches) if (allowed.length > 0) return true
  return false
}

/** True if there are few enough rows to authorize each of them for a count. */
export async function areCountable(
  { reader }: Records,
  client: QueryClientContract,
  matching: Selection
): Promise<boolean> {
  return await reader.counts.isAtMost(client, matching, MOST_AUTHORIZED)
}
