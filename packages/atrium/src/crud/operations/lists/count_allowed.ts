import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import type { Column } from '#base/columns/column'
import type { Selection } from '../../sql/select.js'
import { allowedRecords } from './allowed_records.js'
import type { CallOptions } from '../call_options.js'
import type { Records } from '../records.js'

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

/** True if there are few enough rows to authorize each of them for a count. */
export async function areCountable(
  { reader }: Records,
  client: QueryClientContract,
  matching: Selection
): Promise<boolean> {
  return await reader.counts.isAtMost(client, matching, MOST_AUTHORIZED)
}
