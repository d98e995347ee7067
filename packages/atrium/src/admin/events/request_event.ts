import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import { originOf } from '#base/http/request'
import type AdminSession from '../models/admin_session.js'
import { LONGEST_USERNAME, type default as AdminUser } from '../models/admin_user.js'
import { guardOf } from '../identity/admin_guard.js'
import {
  type AdminEvent,
  type EventDetails,
  type EventStatus,
  EventType,
} from './event_integration.js'

/** An event of a request that is not a write. */
export interface RequestEvent {
  type: EventType
  status?: EventStatus
  /** Default: the signed-in user */
  user?: AdminUser
  /** Default: the current session */
  session?: Pick<AdminSession, 'id'>
  /** User name as typed, if no user with that name is known */
  typedName?: string
  resourceType?: string
  resourceId?: string
  details?: EventDetails
}

/** Builds the event to log, with actor and origin of the request. */
export function eventFrom(ctx: HttpContext, event: RequestEvent): AdminEvent {
  const guard = guardOf(ctx)
  const user = event.user ?? guard.signedIn?.owner
  const session = event.session ?? guard.signedIn?.session
  const origin = originOf(ctx)
  const isTyped = event.typedName !== undefined
  return {
    type: event.type,
    status: event.status ?? 'success',
    timestamp: DateTime.utc(),
    userId: isTyped ? null : (user?.id ?? null),
    username: isTyped ? cut(event.typedName!) : (user?.username ?? null),
    sessionId: isTyped ? null : (session?.id ?? null),
    ipAddress: origin.ip,
    userAgent: origin.userAgent,
    resourceType: event.resourceType ?? null,
    resourceId: event.resourceId ?? null,
    details: detailsOf(ctx, event),
    records: [],
  }
}

function detailsOf(ctx: HttpContext, { type, details }: RequestEvent): EventDetails | null {
  const isNew = type === EventType.LOGIN && guardOf(ctx).isNewDevice
  const by = guardOf(ctx).signedIn?.acting?.username
  const all = {
    ...details,
    ...(isNew && { new_device: true }),
    ...(by && { acting_superuser: by }),
  }
  return Object.keys(all).length > 0 ? all : null
}

/** Removes control characters, which could steer a terminal or be rejected by a database, and shortens the text. */
function cut(typed: string): string {
  // eslint-disable-next-line no-control-regex
  const plain = typed.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\u{fffd}')
  return plain.slice(0, LONGEST_USERNAME).toWellFormed()
}

type Logged = number | void

const LOGGED = new WeakMap<HttpContext, Array<Logged | Promise<Logged>>>()

/**
 * Registers the event of a write as an event of the request.
 *
 * @param id  id of the event, if the site can read the event; a promise while it is being logged
 */
export function noteLogged(ctx: HttpContext | undefined, id: Logged | Promise<Logged>): void {
  if (!ctx) return
  const known = LOGGED.get(ctx)
  if (known) known.push(id)
  else LOGGED.set(ctx, [id])
}

/** Returns the ids of the events that the request's writes have logged, in order. */
export async function loggedInRequest(ctx: HttpContext): Promise<number[]> {
  const ids = await Promise.all(LOGGED.get(ctx) ?? [])
  return ids.filter((id) => typeof id === 'number')
}
