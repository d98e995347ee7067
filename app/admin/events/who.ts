import type { Actor, Origin, SystemActor } from '#crud/types'
import { LONGEST_USERNAME } from '../authentication/admin_user_service.js'
import type { AdminEvent } from './event_integration.js'

type Who = Pick<AdminEvent, 'userId' | 'username' | 'sessionId' | 'ipAddress' | 'userAgent'>

/**
 * Who did something, and from where: an admin user, the one whose token was used, or own code by its
 * name. The names of users have no colon.
 */
export function whoDidIt({ actor, origin }: { actor: Actor; origin: Origin | undefined }): Who {
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

/**
 * Whether the log's name of the actor is only the beginning of it.
 */
export function isCutShort(actor: Actor): actor is SystemActor {
  return actor.kind === 'system' && nameOf(actor).length > LONGEST_USERNAME
}

function nameOf({ name }: SystemActor): string {
  return `system: ${name}`
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
