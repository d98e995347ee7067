import type { HttpContext } from '@adonisjs/core/http'
import type { AdminActor } from '#base/types'
import { adminActor } from '../authentication/admin_actor.js'
import { notePerson } from '../permissions/person.js'
import { guardOf } from '../authentication/sessions/admin_guard.js'

/**
 * The signed-in user as the actor of a write to what is their own: roles, which never reach the site's own models, are
 * not asked. For records that the caller has found to be the user's alone. [U7]
 */
export function actorOnOwn(ctx: HttpContext): AdminActor {
  const { id, permissionsVersion } = guardOf(ctx).signedInOrFail().owner
  const actor = adminActor(ctx)
  notePerson(actor, { id, permissionsVersion, isSuperuser: true })
  return actor
}
