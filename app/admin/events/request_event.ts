import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import { originOf } from '#crud/endpoints/access'
import type AdminSession from '../models/admin_session.js'
import type AdminUser from '../models/admin_user.js'
import type { AdminEvent, EventDetails, EventStatus } from './event_integration.js'
import type { EventType } from './event_type.js'

/* As long as a user name can be */
const LONGEST_USERNAME = 32

/**
 * What a request did, beside writing records.
 */
export interface RequestEvent {
  type: EventType
  status?: EventStatus
  /** Default: who is signed in */
  user?: AdminUser
  /** Default: theirs */
  session?: Pick<AdminSession, 'id'>
  /** As somebody typed it who is not known */
  typedName?: string
  resourceType?: string
  resourceId?: string
  details?: EventDetails
}

/**
 * The event as it is logged, with who and from where.
 */
export function eventFrom(ctx: HttpContext, event: RequestEvent): AdminEvent {
  const guard = ctx.auth.use('admin')
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
    details: event.details ?? null,
    records: [],
  }
}

/** Anything may be typed: no sign in it may steer a terminal, or be one that no database takes. */
function cut(typed: string): string {
  // eslint-disable-next-line no-control-regex
  const plain = typed.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\u{fffd}')
  return plain.slice(0, LONGEST_USERNAME).toWellFormed()
}
