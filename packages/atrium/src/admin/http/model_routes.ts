import type { HttpContext } from '@adonisjs/core/http'
import type { MiddlewareFn } from '@adonisjs/core/types/http'
import { EventType } from '../events/event_integration.js'
import { NotAllowed } from './errors.js'
import type { ModelView } from '../views/model_view.js'
import { may, type Offer } from '../permissions/may.js'
import { signInGuard } from './guards.js'
import { handleBy, lazyPart, type HandlerName } from './lazy_part.js'
import {
  addRoute,
  siteRoutes,
  viewGuard,
  type Handler,
  type Method,
  type RoutedSite,
} from './site_routes.js'

/** A view with the permissions of the user, and the site of the view */
interface Viewed<Site> {
  readonly site: Site
  readonly view: ModelView
}

/** Handler of a model's route */
export type Show<Site> = (viewed: Viewed<Site>, ctx: HttpContext) => unknown

/**
 * Adds a route of a model.
 *
 * @param path    path below the model's URL
 * @param offers  actions of which the user must be allowed at least one
 */
type ModelRoute<Site> = (
  method: Method,
  path: string,
  offers: readonly Offer[],
  show: Show<Site>
) => void

/** A route of a model, as passed to guards */
export interface GuardedRoute {
  method: Method
  /** Path below the model's URL */
  path: string
  /** Actions of which the user must be allowed at least one */
  offers: readonly Offer[]
}

/**
 * Decides which routes of a model require a recent reauthentication.
 *
 * @returns the guard for requests of the route; undefined for a route that does not require one
 */
export type ProofGuard = (
  view: ModelView,
  route: GuardedRoute
) => ((ctx: HttpContext, own: ModelView) => Promise<void>) | undefined

/** Registers the routes of one model. */
export class ModelRoutes<Site extends RoutedSite> {
  readonly #guards: readonly MiddlewareFn[]

  constructor(
    readonly site: Site,
    readonly view: ModelView,
    private readonly proofGuard: ProofGuard
  ) {
    this.#guards = [signInGuard, viewGuard(view)]
  }

  /**
   * Adds routes whose handlers get the view with the permissions of the user's roles. The routes reject actions that no
   * role allows on any record, and actions that require a recent reauthentication.
   *
   * @param guards  middleware of these routes, after the middleware of all routes of the model
   */
  group(guards: readonly MiddlewareFn[], add: (route: ModelRoute<Site>) => void): void {
    siteRoutes(this.site, [...this.#guards, ...guards], () => {
      add((method, path, offers, show) => {
        this.#add(method, path, this.#handler({ method, path, offers }, show))
      })
    })
  }

  /** Adds routes whose guards and handlers check the permissions themselves. */
  unchecked(
    guards: readonly MiddlewareFn[],
    add: (route: (method: Method, path: string, handle: Handler) => void) => void
  ): void {
    siteRoutes(this.site, [...this.#guards, ...guards], () => {
      add((method, path, handle) => this.#add(method, path, handle))
    })
  }

  #add(method: Method, path: string, handle: Handler) {
    const { name } = this.view
    addRoute(this.site, method, `/${name}${path}`, `${name}:${method} ${path}`, handle)
  }

  #handler(route: GuardedRoute, show: Show<Site>): Handler {
    const requireProof = this.proofGuard(this.view, route)
    return async (ctx) => {
      const own = await this.view.for(ctx)
      if (!route.offers.some((offer) => own.may(offer))) throw new NotAllowed()
      await requireProof?.(ctx, own)
      return await show({ site: this.site, view: own }, ctx)
    }
  }
}

/**
 * Returns handlers of a model's routes by a controller whose module is loaded for the first request. Each view has one
 * controller.
 *
 * @returns a function that returns the handler for a method, such as `list('page')`, or for a function of controller
 *   and request
 */
export function modelPage<Module, Site, Page>(
  load: () => Promise<Module>,
  make: (module: Module) => new (site: Site, view: ModelView) => Page
) {
  const open = lazyPart(load, make)
  const pages = new WeakMap<ModelView, Page>()
  const pageOf = async ({ site, view }: Viewed<Site>): Promise<Page> => {
    const Controller = await open()
    let page = pages.get(view)
    if (!page) pages.set(view, (page = new Controller(site, view)))
    return page
  }
  return (show: HandlerName<Page> | ((page: Page, ctx: HttpContext) => unknown)): Show<Site> =>
    async (viewed, ctx) => {
      const page = await pageOf(viewed)
      return await (typeof show === 'function' ? show(page, ctx) : handleBy(page, show, ctx))
    }
}

/** Returns a handler of a page that requires a permission of the viewer. */
export function offered<Site>(offer: Offer, show: Show<Site>): Show<Site> {
  return async (viewed, ctx) => {
    if (!(await may(ctx, viewed.view, offer))) throw new NotAllowed()
    return await show(viewed, ctx)
  }
}

/**
 * Returns a handler that logs the view of a page after it was sent: the list, or the form or page of a record. Partial
 * pages, redirects and errors are not logged as views.
 */
export function logged<Site>(page: 'list' | 'update' | 'view', show: Show<Site>): Show<Site> {
  return async (viewed, ctx) => {
    const { request, response } = ctx
    const { adminSite: site, name, resource } = viewed.view
    const isPage = request.method() === 'GET' && request.header('hx-request') === undefined
    if (isPage && site?.events.logsViewsOf(page)) {
      const { key } = resource
      response.onFinish(() => {
        if (response.getStatus() !== 200) return
        site.logEvent(ctx, {
          type: EventType.VIEW,
          resourceType: name,
          resourceId: page === 'list' ? undefined : key.toPath(key.fromParams(ctx.params)).slice(1),
          details: { page },
        })
      })
    }
    return await show(viewed, ctx)
  }
}
