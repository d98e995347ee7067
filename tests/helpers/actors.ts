import type { Actor } from '#crud'

/**
 * An actor whose user or token is not of the admin's classes, as another authorizer may have it.
 */
export function strange(actor: { kind: Actor['kind']; user?: unknown; token?: unknown }): Actor {
  return actor as Actor
}

/**
 * The user of such an actor, by its name.
 */
export function strangeUser({ user }: Actor): unknown {
  return user
}
