import { requestSubject } from '../http/request_subject.js'
import type { HttpContext } from '@adonisjs/core/http'
import { engineRouter } from '#base/http/engine_router'
import { hasPrecondition } from '../http/preconditions.js'
import { isReadOnly } from '#base/http/problems'
import { rateLimit } from '../http/rate_limit.js'
import { reply } from '../http/reply.js'
import type { Resource } from '../resource/resource.js'
import type { EndpointAccess } from './endpoint_access.js'
import { isWritten, type PlannedRoute } from './endpoint_route.js'
import { markGenerated } from './generated_routes.js'

interface RegisterOptions {
  resource: Resource
  access: EndpointAccess
  /** The model's path */
  base: string
  /** Full path in the router's notation */
  path: string
  /** True if the endpoints' own rate limit counts the calls */
  isLimited: boolean
  /** `this` of the route's handler */
  owner: object
}

/**
 * Adds a route to the engine's router: it loads the resource, authorizes the caller, and sends the
 * handler's result.
 */
export function registerRoute(route: PlannedRoute, options: RegisterOptions): void {
  const { access, base, isLimited, owner, path, resource } = options
  const handler = async (ctx: HttpContext) => {
    requestSubject.set(ctx, resource)
    if (!resource.isLoaded) await resource.load()
    if (resource.readOnly && isWritten(route)) throw isReadOnly(resource.readOnly)
    await access.authorizeAny(ctx, route.operations ?? [route.operation])
    /* Within the write's transaction, the query for a token would wait for that very transaction. */
    if (hasPrecondition(ctx)) await access.mayRead(ctx)
    const value = await route.handler.call(owner, ctx)
    if (value !== undefined && !ctx.response.hasLazyBody) reply(ctx, value)
  }
  markGenerated(handler)

  const methods = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]
  const registered = engineRouter().route(path, methods, handler)
  registered.as(`${base.slice(1).replaceAll('/', '.')}:${route.name}`)
  if (isLimited) registered.use(rateLimit)
  if (route.middleware) registered.use([...route.middleware] as any)
}
