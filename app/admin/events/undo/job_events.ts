import { inUtc } from '#crud/internals'
import type { AdminSite } from '../../admin_site.js'
import AdminAuditLog from '../../models/admin_audit_log.js'
import AdminEventLog from '../../models/admin_event_log.js'
import type AdminJob from '../../models/admin_job.js'

/* Times are kept to the second, and an event may be written a moment after its job. */
const LEEWAY = { seconds: 5 }

/**
 * An event of a job, with the number of its records.
 */
export interface JobPart {
  event: AdminEventLog
  records: number
}

/**
 * The events of a job that can be undone, the last one first: not those that it has reverted itself.
 */
export async function undoablePartsOfJob(
  site: Pick<AdminSite, 'dbConfig'>,
  job: AdminJob
): Promise<JobPart[]> {
  const parts = await partsOfJob(site, job)
  const ids = new Set(parts.map(({ event }) => event.id))
  const reverted = new Set(parts.map(({ event }) => event.details?.undoes))
  return parts.filter(({ event: { id, details } }) => {
    return !reverted.has(id) && !ids.has(details?.undoes ?? 0)
  })
}

/**
 * The events of a job that wrote records, the last one first.
 */
export async function partsOfJob(
  { dbConfig }: Pick<AdminSite, 'dbConfig'>,
  { id, userId, createdAt, endedAt }: AdminJob
): Promise<JobPart[]> {
  const client = dbConfig.readingSession()
  const query = AdminEventLog.query({ client })
    .where('userId', userId)
    .where('status', 'success')
    .where('timestamp', '>=', inUtc(createdAt.minus(LEEWAY)))
    .orderBy('id', 'desc')
  if (endedAt) {
    query.where('timestamp', '<=', inUtc(endedAt.plus(LEEWAY)))
  }
  const found = await query
  const events = found.filter(({ details }) => details?.job === id)
  if (events.length === 0) return []
  const counts = await client
    .from(AdminAuditLog.table)
    .whereIn(
      'event_id',
      events.map((event) => event.id)
    )
    .groupBy('event_id')
    .select('event_id')
    .count('* as records')
  const records = new Map(counts.map((row) => [Number(row.event_id), Number(row.records)]))
  return events.flatMap((event) => {
    const count = records.get(event.id) ?? 0
    return count > 0 ? [{ event, records: count }] : []
  })
}
