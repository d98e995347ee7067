import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '../database/dialects.js'
import type { Column } from '../resource/column.js'
import type { Selection } from '../sql/select.js'
import { allowedRecords } from './allowed_records.js'
import type { CallOptions } from './call_options.js'
import type { Records } from './records.js'

/** Maximum number of rows to authorize for a count; with more rows, there is no count [P14] */
export const MOST_AUTHORIZED = 10_000

const DAY = 'crud_day'

/**
 * The number of records that the policy lets the actor read.
 *
 * @returns null if more than `MOST_AUTHORIZED` would have to be authorized
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

/** The same for each day of a datetime column, in UTC, without days that have none. */
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
  const extras = [{ as: DAY, sql: `${dayOf} as ${dialect.quote(DAY)}` }]
  const days = new Map<string, number>()
  for await (const allowed of allowedRecords(records, client, matching, options, { extras })) {
    for (const one of allowed) {
      const day = one.extras[DAY] as string
      days.set(day, (days.get(day) ?? 0) + 1)
    }
  }
  return [...days].map(([day, count]) => ({ day, count }))
}

/** True if the policy lets the actor read any record. */
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

/** True if the rows are few enough to be authorized for a count. */
export async function areCountable(
  { reader }: Records,
  client: QueryClientContract,
  matching: Selection
): Promise<boolean> {
  return (await reader.count(client, matching)) <= MOST_AUTHORIZED
}
