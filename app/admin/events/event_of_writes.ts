import { DateTime } from 'luxon'
import type { Write } from '#crud'
import AdminUser from '../models/admin_user.js'
import type { AdminEvent, EventDetails, RecordAction } from './event_integration.js'
import { recordsOf } from './event_records.js'
import { isCutShort, eventActor } from './event_actor.js'

/**
 * Builds the event of an action. Its model is that of the action; other models that hooks wrote
 * appear in the records only.
 *
 * @returns undefined if no records remain
 */
export function eventOfWrites(writes: readonly Write[]): AdminEvent | undefined {
  const records = recordsOf(writes)
  if (records.length === 0) return undefined
  const [{ resourceType, resourceId, action }] = records
  const count = records.filter((record) => record.resourceType === resourceType).length
  const head = writes.filter(({ resource }) => resource.name === resourceType)
  return {
    type: action,
    status: 'success',
    timestamp: DateTime.utc(),
    ...eventActor(writes[0]),
    resourceType,
    resourceId: count === 1 ? resourceId : null,
    details: detailsOf(head, action, count, writes[0]),
    records,
  }
}

function detailsOf(
  writes: readonly Write[],
  action: RecordAction,
  count: number,
  { actor, origin }: Write
): EventDetails | null {
  const untold = action === 'UPDATE' && writes.some((write) => write.changesUntold)
  const isUser = writes[0].model === AdminUser
  const details: EventDetails = {
    ...(count > 1 && { count }),
    ...(action === 'DELETE' && writes.some(({ soft }) => soft) && { soft: true }),
    ...(action === 'UPDATE' && writes.some(({ restored }) => restored) && { restored: true }),
    ...(untold && (isUser ? { password_changed: true } : { hidden_fields_changed: true })),
    ...(origin?.jobId && { job: origin.jobId }),
    ...(actor.token?.name && { token_name: actor.token.name }),
    ...(isCutShort(actor) && { system_name: actor.name }),
  }
  return Object.keys(details).length > 0 ? details : null
}
