import type { HttpContext } from '@adonisjs/core/http'
import type { AdminActor } from '#base/types'
import type AdminUser from '../models/admin_user.js'
import { notePerson } from '../permissions/person.js'
import type { SiteUser } from '../layout/site_user.js'
import type { OpenSession } from './sessions/session_manager.js'
import { guardOf } from './sessions/admin_guard.js'

declare module '#crud/types' {
  interface ActorUsers {
    admin: AdminUser
  }
  interface ActorSessions {
    admin: OpenSession
  }
}

/**
 * Actor of the request, for policy, scope and the admin's own rules. [P14]
 *
 * @throws E_UNAUTHORIZED_ACCESS  when no user is signed in
 */
export function adminActor(ctx: HttpContext): AdminActor {
  const { owner, session } = guardOf(ctx).signedInOrFail()
  const actor: AdminActor = {
    kind: 'admin',
    get user() {
      return owner.user
    },
    session,
  }
  notePerson(actor, owner)
  return actor
}

/**
 * Actor for code that acts in the name of an admin user: `runAs(userActor(user), work)`, or `{
 * actor: userActor(user) }`. Roles, policy and scope apply to that user. [P14]
 *
 * @param user  a row, or an object with the user's id, such as `site.user` of a template: its row is read where an
 *   operation needs it. A user that is not found has no roles.
 */
export function userActor(user: AdminUser | SiteUser | Pick<SiteUser, 'id'>): AdminActor {
  return { kind: 'admin', user: user as AdminUser }
}
