import type { HttpContext } from '@adonisjs/core/http'
import type { AdminActor, Origin } from '#base/types'
import { originOf } from '#base/http/request_origin'
import type AdminUser from '../models/admin_user.js'
import { notePerson } from './person.js'
import type { SiteUser } from './site_user.js'
import { jobOf } from './job_context.js'
import type AdminEventLog from '../models/admin_event_log.js'
import type { OpenSession } from '../authentication/sessions/session_manager.js'
import { guardOf } from './admin_guard.js'

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

const CONTEXTS = new WeakMap<Origin, HttpContext>()

/**
 * Network address, user agent and session of a request; for a job, of the request that started it.
 */
export function adminOrigin(ctx: HttpContext): Origin {
  const origin = {
    ...originOf(ctx),
    sessionId: guardOf(ctx).signedIn?.session.id,
    jobId: jobOf(ctx),
  }
  CONTEXTS.set(origin, ctx)
  return origin
}

/**
 * The origin of a write that takes a logged event back: what was an event of one record is one of it again. [R7]
 */
export function undoingOrigin(
  ctx: HttpContext,
  { id, resourceId, resourceType }: Pick<AdminEventLog, 'id' | 'resourceId' | 'resourceType'>
): Origin {
  const form = resourceType && resourceId ? { model: resourceType, id: resourceId } : undefined
  const origin = { ...adminOrigin(ctx), undoes: id, ...(form && { form }) }
  CONTEXTS.set(origin, ctx)
  return origin
}

/**
 * The request that an origin was made for; undefined for one of the API.
 */
export function contextOfOrigin(origin: Origin | undefined): HttpContext | undefined {
  return origin && CONTEXTS.get(origin)
}
