import { isPathSegment } from '#base/checks'
import { ValueError } from '#base/errors'
import type { Resource } from '../resource/resource.js'
import type { Operation } from '../operations/operation.js'
import {
  type CustomRoute,
  type EndpointRoute,
  type PlannedRoute,
  isWritten,
} from './endpoint_options.js'
import { checkCollisions } from './generated_endpoints.js'
import { requestSubject } from '../http/request_transaction.js'
import type { HttpContext } from '@adonisjs/core/http'
import { engineRouter } from '#base/http/engine_router'
import { checkAcceptable } from '../http/list_format.js'
import { hasPrecondition } from '../http/preconditions.js'
import { isReadOnly } from '#base/http/problems'
import { limitRate, rateLimit } from '../http/rate_limit.js'
import { reply } from '../http/reply.js'
import type { EndpointAccess } from './endpoint_access.js'
import { markGenerated } from './generated_routes.js'
import { crudConfig } from '../settings.js'

/**
 * Returns the path of a model's endpoints below the prefix: the explicit one, or the one derived from the table.
 *
 * @throws ValueError  for an invalid path
 */
export function modelPath(path: string | undefined, { name, table }: Resource): string {
  const own = (path ?? tableSegment(table)).replace(/^\/+|\/+$/g, '')
  if (own.split('/').every(isPathSegment)) return `/${own}`
  const allowed = 'letters, digits, / and . _ ~ -'
  throw new ValueError(
    path === undefined
      ? `${name}: the table is named '${table}', and a path may hold only ${allowed}; set one, as in @Crud({ path: 'names' })`
      : `${name}: path is '${path}', which may hold only ${allowed}`
  )
}

/** Returns the default path of a table, `order_lines` -> `/order-lines`. It can be invalid as a path. */
export function tablePath({ table }: Resource): string {
  return `/${tableSegment(table)}`
}

function tableSegment(table: string): string {
  return table.replaceAll('_', '-')
}

/** The routes of one model, before they are added to the router. */
export class RoutePlan {
  readonly #routes: PlannedRoute[] = []

  /**
   * @param name  name of the model
   * @param base  path of the model
   * @param has   true if routes of the operation are offered
   */
  constructor(
    private readonly name: string,
    private readonly base: string,
    private readonly has: (operation: Operation) => boolean
  ) {}

  add(route: PlannedRoute): void {
    this.#routes.push(route)
  }

  /** Adds a custom route. Custom routes are registered before the generated ones. */
  addCustom(route: CustomRoute): void {
    const operation = route.operation ?? (route.method === 'GET' ? 'read_multi' : 'update')
    const path = route.path.startsWith('/') ? route.path : `/${route.path}`
    const name = `${route.method} ${path}`
    this.add({ ...route, path, operation, name, isCustom: true })
  }

  /**
   * Checks the paths of all routes.
   *
   * @throws ValueError  when two routes have the same method and path
   */
  check(): void {
    checkCollisions(this.name, this.base, this.#routes)
  }

  /** The offered routes, in the order of the router. */
  get offered(): PlannedRoute[] {
    return this.#routes
      .filter(({ operation }) => this.has(operation))
      .sort((a, b) => Number(b.isCustom) - Number(a.isCustom))
  }

  /** Public descriptions of the offered routes. */
  get described(): EndpointRoute[] {
    return this.offered.map((route) => {
      const { operation, operations, name, method, path, isCustom, middleware, openapi } = route
      return {
        operation,
        ...(operations && { operations }),
        name,
        method,
        path: this.fullPath(path),
        isCustom,
        middleware: middleware && [...middleware],
        openapi,
      }
    })
  }

  /** Returns the full path for a path relative to the model. */
  fullPath(path: string): string {
    return this.base + path || '/'
  }
}

interface RegisterOptions {
  resource: Resource
  access: EndpointAccess
  /** Path of the model */
  base: string
  /** Full path in the router's notation */
  path: string
  /** True if the rate limit of the endpoints counts the calls */
  isLimited: boolean
  /** Value of `this` in the handler of the route */
  owner: object
  /** Sets headers of every response of the endpoints */
  setHeaders?: (ctx: HttpContext) => void
}

/**
 * Adds a route to the engine's router: it loads the resource, authorizes the caller, and sends the result of the
 * handler.
 */
export function registerRoute(route: PlannedRoute, options: RegisterOptions): void {
  const { access, base, isLimited, owner, path, resource, setHeaders } = options
  const handler = async (ctx: HttpContext) => {
    requestSubject.set(ctx, resource)
    if (isLimited && !route.middleware && crudConfig().rateLimit) await limitRate(ctx)
    setHeaders?.(ctx)
    if (!resource.isLoaded) await resource.load()
    if (resource.readOnly && isWritten(route)) throw isReadOnly(resource.readOnly)
    if (route.operations) await access.authorizeAny(ctx, route.operations)
    else await access.authorize(ctx, route.operation)
    if (route.types) checkAcceptable(ctx, route.types)
    /*
     * Checked before the write: within the write's transaction, the query for a token would wait for that transaction.
     */
    if (hasPrecondition(ctx)) await access.mayRead(ctx)
    const value = await route.handler.call(owner, ctx)
    if (value !== undefined && !ctx.response.hasLazyBody) reply(ctx, value)
  }
  markGenerated(handler)

  const methods = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]
  const registered = engineRouter().route(path, methods, handler)
  registered.as(`${base.slice(1).replaceAll('/', '.')}:${route.name}`)
  if (!route.middleware) return
  if (isLimited) registered.use(rateLimit)
  registered.use([...route.middleware] as any)
}
