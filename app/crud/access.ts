import type { HttpContext } from '@adonisjs/core/http'
import { NOBODY } from './actor.js'
import { RuntimeError } from './errors.js'
import type { Problem } from './http/problem.js'
import { tokenInvalid, tokenRequired } from './http/problems.js'
import type { Operation } from './operations.js'
import type { Resource } from './resource/resource.js'
import type { Access, Actor, ApiToken, Authorizer, Origin } from './types.js'

const ACTORS = new WeakMap<HttpContext, Actor>()

let tokenAuthorizer: Authorizer | undefined

/**
 * Registers who decides about endpoints whose access is 'token'. [P10]
 *
 * @returns who did so far
 */
export function useTokenAuthorizer(authorizer: Authorizer | undefined): Authorizer | undefined {
  const before = tokenAuthorizer
  tokenAuthorizer = authorizer
  return before
}

/**
 * Lets a request through to an endpoint, or throws what to answer instead. Without somebody to ask,
 * an endpoint that is not public lets nobody in.
 *
 * @throws Problem       what the authorizer answers with
 * @throws RuntimeError  when the access is 'token' and no authorizer is registered
 */
export async function authorize(
  ctx: HttpContext,
  resource: Resource,
  operation: Operation,
  access: Access
): Promise<void> {
  if (access === 'public') return
  ensureTokenAuthorizer(resource)
  keepPrivate(ctx)
  await authorizeBy(tokenAuthorizer!, ctx, resource, operation)
}

/**
 * The same for what is no endpoint of a model, such as the page about the API: whoever has a valid
 * token may see it, whatever the token may do. [P10, Q1]
 *
 * @param name  what it is, for the fault
 * @throws Problem 401   without a valid token
 * @throws RuntimeError  when the access is 'token' and nothing checks tokens
 */
export async function authorizeToken(
  ctx: HttpContext,
  name: string,
  access: Access = 'token'
): Promise<void> {
  if (access === 'public') return
  ensureTokenAuthorizer({ name })
  keepPrivate(ctx)
  const actor = await identify(ctx)
  if (!actor) throw unauthenticated(ctx)
  ACTORS.set(ctx, actor)
}

/**
 * Whose token a request came with, if it is valid.
 */
export async function identify(ctx: HttpContext): Promise<(Actor & { token: ApiToken }) | null> {
  return (await tokenAuthorizer?.identify?.(ctx)) ?? null
}

/**
 * What to answer to a request without a valid token: one that was sent is not good for anything, which
 * its sender should know. (RFC 6750, 3)
 */
export function unauthenticated({ request }: HttpContext): Problem {
  const isSent = /^bearer\b/i.test(request.header('authorization') ?? '')
  return isSent ? tokenInvalid() : tokenRequired()
}

/**
 * The same where somebody else than the model's `access` decides.
 *
 * @throws Problem  what the authorizer answers with
 */
export async function authorizeBy(
  authorizer: Authorizer,
  ctx: HttpContext,
  resource: Resource,
  operation: Operation
): Promise<void> {
  ACTORS.set(ctx, await authorizer.authorize(ctx, resource, operation))
}

/**
 * @throws RuntimeError  when no authorizer is registered
 */
export function ensureTokenAuthorizer({ name }: { name: string }): void {
  if (!tokenAuthorizer) {
    throw new RuntimeError(
      `${name}: access is 'token', and nothing is registered that checks tokens`
    )
  }
}

/**
 * Who the request comes from.
 */
export function actorOf(ctx: HttpContext): Actor {
  return ACTORS.get(ctx) ?? NOBODY
}

/**
 * Where the request came from.
 */
export function originOf({ request }: HttpContext): Origin {
  return {
    requestId: request.id()!,
    ip: request.ip(),
    userAgent: request.header('user-agent')?.slice(0, 255) ?? null,
  }
}

/**
 * What is for the owner of a token is for nobody else, whatever stands in between: not even errors
 * such as 404, which caches may keep unasked. The owner may keep it, and must ask again. [P10]
 */
function keepPrivate({ response }: HttpContext): void {
  response.header('cache-control', 'private, no-cache')
  response.vary('Authorization')
}
