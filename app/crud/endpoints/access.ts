import type { HttpContext } from '@adonisjs/core/http'
import { NOBODY } from '../actor.js'
import { RuntimeError } from '../errors.js'
import { isForgery } from '../http/cross_site.js'
import { toProblem } from '../http/handle_problem.js'
import type { Problem } from '../http/problem.js'
import { crossSiteWrite, tokenInvalid, tokenRequired } from '../http/problems.js'
import type { Operation } from '../operations/operation.js'
import type { Resource } from '../resource/resource.js'
import type { Access, Actor, ApiToken, Authorizer, Origin } from '../types.js'

const ACTORS = new WeakMap<HttpContext, Actor>()
const UNDECIDED = new WeakSet<HttpContext>()

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
 * an endpoint that is not public lets nobody in. One that is public may stand where only its callers can
 * reach it, on a developer's machine or in an intranet: a page of another site must not write through
 * their browsers, which have no token to send. [B9]
 *
 * @param isUndecided  whether nobody has said who may call it, which the refusal then tells
 * @throws Problem 403   for a write that another site caused
 * @throws Problem       what the authorizer answers with
 * @throws RuntimeError  when the access is 'token' and no authorizer is registered
 */
export async function authorize(
  ctx: HttpContext,
  resource: Resource,
  operation: Operation,
  access: Access,
  isUndecided = false
): Promise<void> {
  if (access === 'public') {
    if (isForgery(ctx) && !(await identify(ctx))) throw crossSiteWrite()
    return
  }
  ensureTokenAuthorizer(resource)
  keepPrivate(ctx)
  if (isUndecided) UNDECIDED.add(ctx)
  await authorizeBy(tokenAuthorizer!, ctx, resource, operation)
  /* An authorizer of the application's own may go by cookies, which browsers send by themselves. */
  if (isForgery(ctx) && !sendsToken(ctx)) throw crossSiteWrite()
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
export function unauthenticated(ctx: HttpContext): Problem {
  return sendsToken(ctx) ? tokenInvalid() : tokenRequired(UNDECIDED.has(ctx))
}

function sendsToken({ request }: HttpContext): boolean {
  return /^bearer\b/i.test(request.header('authorization') ?? '')
}

/**
 * Whether a request would be let through, which stays as it is: it goes on as who it was.
 *
 * @param attempt  lets it through, or throws
 * @throws what the attempt does if that is no refusal
 */
export async function wouldPass(ctx: HttpContext, attempt: () => Promise<void>): Promise<boolean> {
  const actor = actorOf(ctx)
  try {
    await attempt()
    return true
  } catch (error) {
    if (toProblem(error).status < 500) return false
    throw error
  } finally {
    ACTORS.set(ctx, actor)
  }
}

/**
 * Lets a request through where somebody else than the model's `access` decides.
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
