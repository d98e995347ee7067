import type { HttpContext } from '@adonisjs/core/http'
import type { Actor, AdminActor, ApiToken, Origin, SystemActor } from '#base/types'
import { originOf } from '#base/http/request'
import type AdminUser from '../models/admin_user.js'
import { notePerson, type SiteUser } from './person.js'
import type AdminEventLog from '../models/admin_event_log.js'
import type { OpenSession } from '../models/admin_session.js'
import { guardOf } from './admin_guard.js'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import app from '@adonisjs/core/services/app'
import { systemActor } from '#crud'

const JOBS = new WeakMap<HttpContext, number>()

/** Returns the id of the job that a context was created for; undefined for the context of a request. */
export function jobOf(ctx: HttpContext): number | undefined {
  return JOBS.get(ctx)
}

/** Records the job that a context was created for. */
export function noteJob(ctx: HttpContext, id: number): void {
  JOBS.set(ctx, id)
}

declare module '#crud/types' {
  interface ActorUsers {
    admin: AdminUser
  }
  interface ActorSessions {
    admin: OpenSession
  }
}

interface TokenRequest {
  token: ApiToken
  /** Name of the MCP session */
  session: string
}

const TOKENS = new WeakMap<HttpContext, TokenRequest>()

/** Makes an access token the actor of a request of the MCP server, whose owner is signed in. */
export function noteTokenActor(ctx: HttpContext, request: TokenRequest): void {
  TOKENS.set(ctx, request)
}

/**
 * Returns the actor of the request, for policy, scope and the rules of the admin site.
 *
 * @throws E_UNAUTHORIZED_ACCESS  when no user is signed in
 */
export function adminActor(ctx: HttpContext): AdminActor {
  const { owner, session } = guardOf(ctx).signedInOrFail()
  const byToken = TOKENS.get(ctx)
  if (byToken) {
    const actor: Actor = {
      kind: 'token',
      get user() {
        return owner.user
      },
      token: byToken.token,
    }
    notePerson(actor, owner)
    return actor as unknown as AdminActor
  }
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
 * Returns an actor for code that acts as an admin user: `runAs(userActor(user), work)`, or the option `actor` of an
 * operation. Roles, policy and scope apply to that user.
 *
 * @param user  a row, or an object with the user's id, such as `site.user` of a template, whose row is read when an
 *   operation needs it. A user who is not found has no roles.
 */
export function userActor(user: AdminUser | SiteUser | Pick<SiteUser, 'id'>): AdminActor {
  return { kind: 'admin', user: user as AdminUser }
}

const CONTEXTS = new WeakMap<Origin, HttpContext>()

/** Returns network address, user agent and session of a request; for a job, of the request that started the job. */
export function adminOrigin(ctx: HttpContext): Origin {
  const origin = {
    ...originOf(ctx),
    sessionId: guardOf(ctx).signedIn?.session.id,
    jobId: jobOf(ctx),
    mcpSession: TOKENS.get(ctx)?.session,
  }
  CONTEXTS.set(origin, ctx)
  return origin
}

/**
 * Returns the origin of a write that reverts a logged event. Reverting an event of one record is again logged as an
 * event of that record.
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
 * Returns the request that an origin was created for; undefined for an origin of an API request.
 */
export function contextOfOrigin(origin: Origin | undefined): HttpContext | undefined {
  return origin && CONTEXTS.get(origin)
}

/**
 * Returns a context without a request, for code that needs one. No user is signed in, and no response is sent.
 *
 * @param ip       address that the work was started from
 * @param headers  headers of the request that started it
 */
export async function madeContext({
  ip,
  headers = {},
}: { ip?: string; headers?: Record<string, string> } = {}): Promise<HttpContext> {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: ip })
  const message = new IncomingMessage(socket)
  message.method = 'POST'
  message.url = '/'
  message.headers = headers
  const reply = new ServerResponse(message)

  const server = await app.container.make('server')
  const request = server.createRequest(message, reply)
  const response = server.createResponse(message, reply)
  const ctx = server.createHttpContext(request, response, app.container.createResolver())
  if (app.container.hasBinding('auth.manager')) {
    const auth = await app.container.make('auth.manager')
    ctx.auth = auth.createAuthenticator(ctx)
  }
  guardOf(ctx).authenticationAttempted = true
  return ctx
}

const OPERATORS = new WeakMap<HttpContext, SystemActor>()

/**
 * Returns a context for a command, which the operator of the server runs: no user is signed in, and policy, scope and
 * roles do not apply.
 *
 * @param command  name of the command, such as `crud:export`
 */
export async function operatorContext(command: string): Promise<HttpContext> {
  const ctx = await madeContext()
  OPERATORS.set(ctx, systemActor(command))
  return ctx
}

/** Returns the actor of a command; undefined for a request or a job, which have a signed-in user. */
export function operatorOf(ctx: HttpContext): SystemActor | undefined {
  return OPERATORS.get(ctx)
}
