import type { Actor, Origin } from '#crud/types'
import type { AdminEvent } from './event_integration.js'

type Who = Pick<AdminEvent, 'userId' | 'username' | 'sessionId' | 'ipAddress' | 'userAgent'>

/**
 * Who did something, and from where: an admin user, or the one whose token was used.
 */
export function whoDidIt({ actor, origin }: { actor: Actor; origin: Origin | undefined }): Who {
  const { id, username } = (actor.user ?? {}) as { id?: unknown; username?: unknown }
  const session = (actor as { session?: { id?: unknown } }).session?.id
  return {
    userId: typeof id === 'number' ? id : null,
    username: typeof username === 'string' ? username : null,
    sessionId: origin?.sessionId ?? (typeof session === 'number' ? session : null),
    ipAddress: origin?.ip ?? null,
    userAgent: origin?.userAgent ?? null,
  }
}
