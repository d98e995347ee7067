import { setImmediate } from 'node:timers/promises'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { AnswerRoom } from '../http/answer_room.js'
import { dialectOf } from '../database/dialects.js'
import type { Sql } from '../sql/sql.js'
import { Problem } from '../http/problem.js'
import type { CallOptions } from '../lucid_crud.js'
import { positionOf, positionParts, rangesAfter } from '../sql/keyset.js'
import type { Beside, Read } from '../sql/reader.js'
import type { Selection } from '../sql/select.js'
import { orderOf, type Sort } from '../request/sort.js'
import { orderTerms } from '../sql/order.js'
import type { Records } from './records.js'
import type { Column } from '../resource/column.js'

/** As many rows as are judged for a count; where there are more, there is no count [P14] */
export const MOST_JUDGED = 10_000

/* A batch is a statement and its records in memory; a page of ten is no reason to read hundreds. */
const FEWEST_AT_ONCE = 20
const MOST_AT_ONCE = 500

const DAY = 'crud_day'

/**
 * The records that the policy lets the actor read, each asked about by itself, in their order and batch
 * by batch: who has enough stops. A batch follows the last row of the one before, whatever became of
 * that row. [P14]
 *
 * @param matching  which rows there are for the actor
 * @param ranges    what narrows them to those that are wanted, one after the other
 * @param first     how many rows are likely to be enough
 */
export async function* allowedRecords(
  records: Records,
  client: QueryClientContract,
  matching: Selection,
  options: CallOptions,
  {
    sorts = [],
    ranges = [[]],
    beside = [],
    first = MOST_AT_ONCE,
  }: {
    sorts?: readonly Sort[]
    ranges?: readonly Sql[][]
    beside?: readonly Beside[]
    first?: number
  } = {}
): AsyncGenerator<Read[]> {
  const { key, table } = records.resource
  const dialect = dialectOf(client)
  const order = orderOf(sorts, key.columns)
  const read = [...beside, ...positionParts(order, table, dialect)]
  let limit = Math.min(Math.max(first, FEWEST_AT_ONCE), MOST_AT_ONCE)
  /* Fewer where so many records are larger than an answer may be. */
  let largest = MOST_AT_ONCE
  let left = ranges
  while (left.length > 0) {
    const [range, ...others] = left
    const selection = {
      where: [...matching.where, ...range],
      scope: matching.scope,
      order: orderTerms(table, order, dialect),
      limit,
    }
    /* The batch is let go, whatever is kept of it: it has a room of its own. */
    const room = options.room && new AnswerRoom()
    let batch: Read[]
    try {
      batch = await records.reader.readRecords(client, selection, { beside: read, room })
    } catch (error) {
      room?.release()
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
      room?.release()
    }
    left =
      batch.length < limit
        ? others
        : rangesAfter(order, positionOf(batch.at(-1)!.beside, order), table, dialect).map((one) => [
            one,
          ])
    limit = largest
    /* A driver that does not wait for anything would keep everybody else waiting. */
    await setImmediate()
  }
}

/**
 * How many records the policy lets the actor read.
 *
 * @returns null where more than `MOST_JUDGED` would have to be judged
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
 * The same for each day of a datetime column, in UTC; the days that have none are left out.
 */
export async function countAllowedByDay(
  records: Records,
  client: QueryClientContract,
  column: Column,
  matching: Selection,
  options: CallOptions
): Promise<Array<{ day: string; count: number }> | null> {
  if (!(await areCountable(records, client, matching))) return null
  const dialect = dialectOf(client)
  const dayOf = dialect.dayOf(records.resource.table, column)
  const beside = [{ as: DAY, sql: `${dayOf} as ${dialect.quote(DAY)}` }]
  const days = new Map<string, number>()
  for await (const allowed of allowedRecords(records, client, matching, options, { beside })) {
    for (const one of allowed) {
      const day = one.beside[DAY] as string
      days.set(day, (days.get(day) ?? 0) + 1)
    }
  }
  return [...days].map(([day, count]) => ({ day, count }))
}

/**
 * Whether the policy lets the actor read any record.
 */
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

/**
 * Whether there are so few rows that they can be judged for a count.
 */
export async function areCountable(
  { reader }: Records,
  client: QueryClientContract,
  matching: Selection
): Promise<boolean> {
  return (await reader.count(client, matching)) <= MOST_JUDGED
}
