import type { HttpContext } from '@adonisjs/core/http'
import { markExternal, ANONYMOUS } from '#base/actor'
import { RuntimeError, type Problem } from '#base/errors'
import { isForgery } from '#base/http/cross_site'
import { toProblem } from '#base/http/send_problem'
import { crossSiteWrite, tokenInvalid, tokenRequired } from '#base/http/access_problems'
import type { Operation } from '../operations/operation.js'
import type { Resource, IncludedRelation } from '../resource/resource.js'
import type { Access, Actor, ApiToken } from '../types.js'
import { isAllowedOrigin } from '../http/cross_origin.js'
import { RequestValue } from '#base/http/request'
import { isExcludedFromInclude } from '../resource/included_relation.js'

/**
 * Authorizes callers of endpoints that are not public: returns the actor, or throws the problem to send. The admin site
 * registers the authorizer for API tokens.
 */
export interface Authorizer {
  authorize(ctx: HttpContext, resource: Resource, operation: Operation): Promise<Actor>

  /**
   * Returns the owner of the request's token, regardless of its abilities; null without a valid token. Used by routes
   * that belong to no model, and by the rate limit.
   */
  identify?(ctx: HttpContext): Promise<(Actor & { token: ApiToken }) | null>
}

const ACTORS = new RequestValue<Actor>('actor')
const UNDECIDED = new WeakSet<HttpContext>()

let tokenAuthorizer: Authorizer | undefined

/**
 * Registers the authorizer of endpoints whose access is 'token', in place of the one for access tokens.
 *
 * @param authorizer  undefined: no authorizer, so these endpoints refuse all requests
 * @returns the previous authorizer
 */
export function useTokenAuthorizer(authorizer: Authorizer | undefined): Authorizer | undefined {
  const before = tokenAuthorizer
  tokenAuthorizer = authorizer
  return before
}

/**
 * Authorizes a request to an endpoint. Without an authorizer, an endpoint that is not public refuses all requests. Even
 * a public endpoint refuses writes from pages of other sites whose origin is not allowed, because the endpoint can be
 * on a developer's machine or an intranet, where only the user's browser has access to it. A valid token limits the
 * request to its abilities at a public endpoint, too: it would be a surprise if a token that can only read could write.
 *
 * @param isUndecided  true if `access` is not set in the model or the configuration; the error message then mentions it
 * @throws Problem 403   for a write that another site caused
 * @throws Problem       the authorizer's refusal
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
    if (sendsToken(ctx)) {
      keepPrivate(ctx)
      if (await identify(ctx))
        return void (await tokenAuthorizer!.authorize(ctx, resource, operation))
    }
    if (isForgery(ctx) && !isAllowedOrigin(ctx)) throw crossSiteWrite()
    return
  }
  ensureTokenAuthorizer(resource)
  keepPrivate(ctx)
  if (isUndecided) UNDECIDED.add(ctx)
  await authorizeBy(tokenAuthorizer!, ctx, resource, operation)
  /*
   * Writes of other sites are refused, because an authorizer of the application can rely on cookies, which browsers
   * send automatically.
   */
  if (isForgery(ctx) && !sendsToken(ctx) && !isAllowedOrigin(ctx, true)) throw crossSiteWrite()
}

/**
 * Authorizes a request to a route that belongs to no model, such as the API page: any valid token is sufficient,
 * regardless of its abilities.
 *
 * @param name    name of the route, for the error
 * @param access  'public': all callers are authorized
 * @throws Problem 401   without a valid token
 * @throws RuntimeError  when the access is 'token' and no authorizer is registered
 */
export async function authorizeToken(
  ctx: HttpContext,
  name: string,
  access: Access = 'token'
): Promise<void> {
  if (access === 'public') {
    if (sendsToken(ctx)) keepPrivate(ctx)
    return
  }
  ensureTokenAuthorizer({ name })
  keepPrivate(ctx)
  const actor = await identify(ctx)
  if (!actor) throw unauthenticated(ctx)
  ACTORS.set(ctx, markExternal(actor))
}

/** Returns the owner of a request's token; null without a valid token. */
export async function identify(ctx: HttpContext): Promise<(Actor & { token: ApiToken }) | null> {
  return (await tokenAuthorizer?.identify?.(ctx)) ?? null
}

/**
 * Returns the response to a request without a valid token. It differs for a missing and an invalid token. (RFC 6750, 3)
 */
export function unauthenticated(ctx: HttpContext): Problem {
  return sendsToken(ctx) ? tokenInvalid() : tokenRequired(UNDECIDED.has(ctx))
}

/** True if the request contains a token, valid or not. Browsers never send one automatically. */
export function sendsToken({ request }: HttpContext): boolean {
  return /^bearer\b/i.test(request.header('authorization') ?? '')
}

/**
 * True if a request would be authorized; the actor of the request is not changed.
 *
 * @param attempt  authorizes the request, or throws
 * @throws any error of the attempt that is not a refusal
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
 * Authorizes a request with an authorizer, regardless of the model's `access`.
 *
 * @throws Problem  the authorizer's refusal
 */
export async function authorizeBy(
  authorizer: Authorizer,
  ctx: HttpContext,
  resource: Resource,
  operation: Operation
): Promise<void> {
  ACTORS.set(ctx, markExternal(await authorizer.authorize(ctx, resource, operation)))
}

/**
 * Checks that an authorizer of tokens is registered.
 *
 * @throws RuntimeError  when no authorizer is registered
 */
export function ensureTokenAuthorizer({ name }: { name: string }): void {
  if (!tokenAuthorizer) {
    throw new RuntimeError(
      `${name}: access is 'token', and nothing is registered that checks tokens`
    )
  }
}

/** Returns the actor of the request. */
export function actorOf(ctx: HttpContext): Actor {
  return ACTORS.get(ctx) ?? ANONYMOUS
}

/**
 * Prevents caches from storing the response, including errors such as 404, which caches can store by default. The
 * response is private to the token's owner.
 */
function keepPrivate({ response }: HttpContext): void {
  response.header('cache-control', 'no-store')
  response.vary('Authorization')
}

/** The access rules of a model's endpoints. */
interface AccessRules {
  readonly operations: readonly Operation[]
  isAccessDefault(operation: Operation): boolean
  accessOf(operation: Operation): Access
}

const RULES = new WeakMap<Resource, AccessRules>()

/** Remembers the access rules of a resource's endpoints. */
export function noteAccess(resource: Resource, rules: AccessRules): void {
  RULES.set(resource, rules)
}

/**
 * Returns the access to related items in an `include`: the access rules of the related model's endpoints, or its option
 * `access` if it has no such endpoints.
 *
 * @returns undefined if no caller is allowed to include them
 */
export function accessToInclude({ isList, resource }: IncludedRelation): Access | undefined {
  if (isExcludedFromInclude(resource.model)) return undefined
  const operation = isList ? 'read_multi' : 'read'
  const rules = RULES.get(resource)
  const isSaid =
    rules?.operations.includes(operation) || rules?.isAccessDefault(operation) === false
  return isSaid ? rules!.accessOf(operation) : undefined
}

/** Returns the relations that responses of the resource's endpoints can include, by API name. */
export function includesOf({ includes }: Resource): ReadonlyMap<string, IncludedRelation> {
  return new Map([...includes].filter(([, include]) => accessToInclude(include)))
}
