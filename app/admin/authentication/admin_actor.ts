import type { HttpContext } from '@adonisjs/core/http'
import type { AdminActor } from '#crud/types'
import type AdminUser from '../models/admin_user.js'
import type { OpenSession } from './sessions/session_manager.js'

declare module '#crud/types' {
  interface ActorUsers {
    admin: AdminUser
  }
  interface ActorSessions {
    admin: OpenSession
  }
}

/**
 * Who asks, for policy, scope and the admin's own rules. [P14]
 *
 * @throws E_UNAUTHORIZED_ACCESS  when nobody is signed in
 */
export function adminActor(ctx: HttpContext): AdminActor {
  const { owner, session } = ctx.auth.use('admin').signedInOrFail()
  return {
    kind: 'admin',
    get user() {
      return owner.user
    },
    session,
  }
}

/**
 * A user of the admin, for own code that does something in their name: `runAs(userActor(user), work)`, or
 * `{ actor: userActor(user) }`. Policy and scope are asked about them. [P14]
 */
export function userActor(user: AdminUser): AdminActor {
  return { kind: 'admin', user }
}
