import type { Actor } from '#crud'

/**
 * An actor of another authorizer, whose user or token is not of the admin's classes.
 */
export function strange(actor: { kind: Actor['kind']; user?: unknown; token?: unknown }): Actor {
  return actor as Actor
}

/**
 * Name of the user of such an actor.
 */
export function strangeUser({ user }: Actor): unknown {
  return user
}
