import type { HttpContext } from '@adonisjs/core/http'
import { RuntimeError } from './errors.js'
import type { Operation } from './operations.js'
import type { Resource } from './resource/resource.js'
import type { Access, Actor, Authorizer, Origin } from './types.js'

const NOBODY: Actor = Object.freeze({ kind: 'none' })
const ACTORS = new WeakMap<HttpContext, Actor>()

let tokenAuthorizer: Authorizer | undefined

/**
 * Registers who decides about endpoints whose access is 'token'. [P10]
 */
export function useTokenAuthorizer(authorizer: Authorizer | undefined): void {
  tokenAuthorizer = authorizer
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
  await authorizeBy(tokenAuthorizer!, ctx, resource, operation)
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
export function ensureTokenAuthorizer(resource: Resource): void {
  if (!tokenAuthorizer) {
    throw new RuntimeError(
      `${resource.name}: access is 'token', and nothing is registered that checks tokens`
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
