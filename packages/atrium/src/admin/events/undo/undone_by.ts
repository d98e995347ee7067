import type { AdminSite } from '../../admin_site.js'
import AdminEventLog from '../../models/admin_event_log.js'

type Subject = Pick<AdminEventLog, 'resourceType' | 'resourceId'>

/**
 * The events on a record, or on the records of a model, that were undone. One whose undo was undone in its turn is
 * not among them. [R7]
 *
 * @param from  id of the first event that is looked at
 * @returns the id of the event that undid each
 */
export async function undoneEvents(
  { dbConfig }: Pick<AdminSite, 'dbConfig'>,
  { resourceType, resourceId }: Subject,
  from: number
): Promise<Map<number, number>> {
  const query = AdminEventLog.query({ client: dbConfig.readingSession() })
    .select('id', 'details')
    .where('id', '>', from)
    .where('status', 'success')
    .where('details', 'like', '%"undoes":%')
  if (resourceType === null) query.whereNull('resourceType')
  else query.where('resourceType', resourceType)
  if (resourceId === null) query.whereNull('resourceId')
  else query.where('resourceId', resourceId)

  const undone = new Map<number, number>()
  /* The last one first: an undo that was undone takes nothing back. */
  for (const { id, details } of await query.orderBy('id', 'desc')) {
    const undoes = details?.undoes
    if (undoes === undefined || undone.has(id)) continue
    if (!undone.has(undoes)) undone.set(undoes, id)
  }
  return undone
}
