import type { Actor } from '#crud'
import type { Origin, SystemActor } from '#base/types'
import { LONGEST_USERNAME } from '../authentication/admin_user_service.js'
import type { AdminEvent, EventDetails } from './event_integration.js'

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
