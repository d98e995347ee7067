import db from '@adonisjs/lucid/services/db'
import { counters } from '#base/counters'

/** Removes the counts of a rate limit: those in the table, and the callers that this process has blocked in memory. */
export async function forgetCounts(limit: { requests: number; seconds: number }): Promise<void> {
  const { requests, seconds: duration } = limit
  counters()
    .use({ requests, duration, inMemoryBlockOnConsumed: requests })
    .deleteInMemoryBlockedKeys()
  await db.from('admin_rate_limits').delete()
}
