import { DateTime } from 'luxon'
import type { Actor, Write } from '#crud'
import type { Origin, SystemActor } from '#base/types'
import { LONGEST_USERNAME } from '../authentication/admin_user_service.js'
import AdminUser from '../models/admin_user.js'
import type { AdminEvent, EventDetails, EventRecord, RecordAction } from './event_integration.js'
import { idOf, recordsOf } from './event_records.js'
import { longActionOf, type PartEvent } from './long_action.js'

type EventActor = Pick<AdminEvent, 'userId' | 'username' | 'sessionId' | 'ipAddress' | 'userAgent'>

/**
 * Columns of the event for its actor: an admin user, the owner of a token, or a system actor by its
 * name. User names contain no colon.
 */
export function eventActor({
  actor,
  origin,
}: {
  actor: Actor
  origin: Origin | undefined
}): EventActor {
  const { id, username } = (actor.user ?? {}) as { id?: unknown; username?: unknown }
  const session = actor.session?.id
  return {
    userId: typeof id === 'number' ? id : null,
    username: actor.kind === 'system' ? nameOf(actor).slice(0, LONGEST_USERNAME) : textOf(username),
    sessionId: origin?.sessionId ?? (typeof session === 'number' ? session : null),
    ipAddress: origin?.ip ?? null,
    userAgent: origin?.userAgent ?? null,
  }
}

/** What the details of an event say about its actor. */
export function actorDetails(actor: Actor): EventDetails {
  /* The superuser who is signed in as the actor [U14] */
  const actsBy = actor.session?.sessionMetadata?.actsAs?.by.username
  return {
    ...(actsBy && { acting_superuser: actsBy }),
    ...(actor.token?.name && { token_name: actor.token.name }),
    ...(isCutShort(actor) && { system_name: actor.name }),
  }
}

/** True if the name of the actor does not fit the log's column. */
function isCutShort(actor: Actor): actor is SystemActor {
  return actor.kind === 'system' && nameOf(actor).length > LONGEST_USERNAME
}

function nameOf({ name }: SystemActor): string {
  return `system: ${name}`
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/**
 * Builds the event of an action. Its model is that of the action; other models that hooks wrote
 * appear in the records only.
 *
 * @returns undefined if no records remain
 */
export function eventOfWrites(writes: readonly Write[]): AdminEvent | undefined {
  const records = recordsOf(writes)
  if (records.length === 0) return undefined
  const long = longActionOf(writes[0])
  if (long) return long.event(writes[0], records, (model) => eventOf(writes, records, model))
  return eventOf(writes, records).event
}

function eventOf(
  writes: readonly Write[],
  records: EventRecord[],
  resourceType: string = records[0].resourceType
): PartEvent {
  const form = writes[0].origin?.form
  if (form) return { event: eventOfForm(writes, records, form), count: 1 }
  const own = records.find((record) => record.resourceType === resourceType)
  const { resourceId, action } = own ?? records[0]
  const head = writes.filter(({ caused, resource }) => !caused && resource.name === resourceType)
  const written = new Set(head.map(idOf))
  const count = records.filter(
    (record) => record.resourceType === resourceType && written.has(record.resourceId)
  ).length
  const event: AdminEvent = {
    type: action,
    status: 'success',
    timestamp: DateTime.utc(),
    ...eventActor(writes[0]),
    resourceType,
    resourceId: count === 1 ? resourceId : null,
    details: detailsOf(head, action, count, writes[0]),
    records,
  }
  return { event, count }
}

/** A form that writes rows with its record is an event of that record, even if only rows were changed. [R2] */
function eventOfForm(
  writes: readonly Write[],
  records: EventRecord[],
  { model, id }: NonNullable<Origin['form']>
): AdminEvent {
  const own = records.find(
    ({ resourceType, resourceId }) => resourceType === model && resourceId === id
  )
  const type = own?.action ?? 'UPDATE'
  const head = writes.filter((write) => write.resource.name === model && idOf(write) === id)
  return {
    type,
    status: 'success',
    timestamp: DateTime.utc(),
    ...eventActor(writes[0]),
    resourceType: model,
    resourceId: id,
    details: detailsOf(head, type, 1, writes[0]),
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
  const isUser = writes[0]?.model === AdminUser
  const details: EventDetails = {
    ...(count > 1 && { count }),
    ...(action === 'DELETE' && writes.some(({ soft }) => soft) && { soft: true }),
    ...(action === 'UPDATE' && writes.some(({ restored }) => restored) && { restored: true }),
    ...(untold && (isUser ? { password_changed: true } : { hidden_fields_changed: true })),
    ...(origin?.jobId && { job: origin.jobId }),
    ...(origin?.undoes && { undoes: origin.undoes }),
    ...(origin?.restores && { restores: origin.restores }),
    ...actorDetails(actor),
  }
  return Object.keys(details).length > 0 ? details : null
}
