import type { Actor } from '#crud'
import { markExternal } from '#base/actor'
import { notePerson } from '#admin/identity/person'

/** An actor of another authorizer, whose user or token is not of the admin's classes. Roles do not restrict it. */
export function strange(actor: { kind: Actor['kind']; user?: unknown; token?: unknown }): Actor {
  if (actor.kind === 'admin') {
    notePerson(actor, { id: 1, isSuperuser: true, permissionsVersion: 0 })
  }
  return markExternal(actor as Actor)
}

/** Name of the user of such an actor. */
export function strangeUser({ user }: Actor): unknown {
  return user
}
