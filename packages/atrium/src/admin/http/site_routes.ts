import type { HttpContext } from '@adonisjs/core/http'
import type { MiddlewareFn, NextFn } from '@adonisjs/core/types/http'
import { requestSubject } from '#crud/internals'
import type { EngineRouter } from '#base/http/engine_router'
import { inZone } from '../time/time_zone.js'
import { inZoneOfForm, zoneOfPerson, type ZoneSite } from './zone_of_person.js'
import { NotAllowed, WithheldPage } from './errors.js'
import type { ModelView } from '../views/model_view.js'
import { siteMiddleware } from './guards.js'

export interface WithRouter {
  readonly router: EngineRouter
}

/** The properties of the site that routes use. */
export interface RoutedSite extends ZoneSite, WithRouter {
  url(path: string): string
}

export type Method = 'GET' | 'POST' | 'DELETE'
export type Handler = (ctx: HttpContext) => unknown

/**
 * Adds a route.
 *
 * @param path  path below the mount path
 * @param name  route name without the prefix `admin.`
 */
type AddRoute = (path: string, name: string, handle: Handler) => void

const ADMIN_ROUTES = new WeakSet<object>()

/**
 * Registers routes of the site.
 *
 * @param guards  middleware of these routes, after the middleware of all routes of the site
 */
export function siteRoutes(
  site: RoutedSite,
  guards: readonly MiddlewareFn[],
  add: (routes: { get: AddRoute; post: AddRoute }) => void
): void {
  const get: AddRoute = (path, name, handle) => addRoute(site, 'GET', path, name, handle)
  const post: AddRoute = (path, name, handle) => addRoute(site, 'POST', path, name, handle)
  site.router.group(() => add({ get, post })).use([siteMiddleware, ...guards])
}

/**
 * Registers a route of the site, whose pages show times in the time zone of the user.
 *
 * @param path  path below the mount path
 * @param name  route name without the prefix `admin.`
 */
export function addRoute(
  site: RoutedSite,
  method: Method,
  path: string,
  name: string,
  handle: Handler
): void {
  const handler = async (ctx: HttpContext) =>
    await inZone(await zoneOfPerson(ctx, site), () => inZoneOfForm(ctx, () => handle(ctx)))
  ADMIN_ROUTES.add(handler)
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
  site.router.route(site.url(path), methods, handler).as(`admin.${name}`)
}

/** Returns true if the request matched one of the site's routes. */
export function isAdminRoute(ctx: HttpContext): boolean {
  return typeof ctx.route?.handler === 'function' && ADMIN_ROUTES.has(ctx.route.handler)
}

/**
 * Guard of a model: the admin site's models are for superusers only; a model that the caller's roles do not allow to
 * view responds like an unknown model.
 */
export function viewGuard(view: ModelView) {
  return async (ctx: HttpContext, next: NextFn) => {
    requestSubject.set(ctx, view.resource)
    if (!view.admits(ctx)) throw new NotAllowed()
    if (!view.resource.isLoaded) await view.resource.load()
    const own = await view.for(ctx)
    if (own.isWithheld) throw new WithheldPage()
    await next()
  }
}
