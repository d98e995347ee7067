import { inUtc } from '#base/values/datetime'
import type { WithDatabase } from '../config/database_config.js'
import AdminAuditLog from '../models/admin_audit_log.js'
import AdminEventLog from '../models/admin_event_log.js'
import type AdminJob from '../models/admin_job.js'

/* Times are stored in seconds, and an event can be written shortly after the end of its job. */
const LEEWAY = { seconds: 5 }

/**
 * Returns the events of a job that can be undone, the newest first. Events that the job itself has reverted are left
 * out.
 */
export async function undoableEventsOfJob(
  site: WithDatabase,
  job: AdminJob
): Promise<AdminEventLog[]> {
  const events = await eventsOfJob(site, job)
  const ids = new Set(events.map(({ id }) => id))
  const reverted = new Set(events.map(({ details }) => details?.undoes))
  return events.filter(({ id, details }) => !reverted.has(id) && !ids.has(details?.undoes ?? 0))
}

/**
 * Returns the events of a job that wrote records, the newest first. Does not count rows, so the duration does not
 * depend on their number.
 */
export async function eventsOfJob(
  { dbConfig }: WithDatabase,
  { id, userId, createdAt, endedAt }: AdminJob
): Promise<AdminEventLog[]> {
  const client = dbConfig.readingSession()
  const query = AdminEventLog.query({ client })
    .where('userId', userId)
    .where('status', 'success')
    .where('timestamp', '>=', inUtc(createdAt.minus(LEEWAY)))
    .whereExists((rows) => {
      rows
        .from(AdminAuditLog.table)
        .whereColumn(`${AdminAuditLog.table}.event_id`, `${AdminEventLog.table}.id`)
    })
    .orderBy('id', 'desc')
  if (endedAt) {
    query.where('timestamp', '<=', inUtc(endedAt.plus(LEEWAY)))
  }
  const found = await query
  return found.filter(({ details }) => details?.job === id)
}

/** Counts the audit rows of events, by event id. */
export async function countRows(
  { dbConfig }: WithDatabase,
  events: readonly AdminEventLog[]
): Promise<Map<number, number>> {
  const ids = events.map(({ id }) => id)
  const counts = await dbConfig
    .readingSession()
    .from(AdminAuditLog.table)
    .whereIn('event_id', ids)
    .groupBy('event_id')
    .select('event_id')
    .count('* as records')
  return new Map(counts.map((row) => [Number(row.event_id), Number(row.records)]))
}
