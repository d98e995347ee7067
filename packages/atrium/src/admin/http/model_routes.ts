import type { HttpContext } from '@adonisjs/core/http'
import type { MiddlewareFn } from '@adonisjs/core/types/http'
import { EventType } from '../events/event_integration.js'
import { NotAllowed } from './errors.js'
import type { ModelView } from '../views/model_view.js'
import { may, type Offer } from '../permissions/may.js'
import { signInGuard } from './guards.js'
import { handleBy, room, type HandlerName } from './room.js'
import {
  addRoute,
  siteRoutes,
  viewGuard,
  type Handler,
  type Method,
  type RoutedSite,
} from './site_routes.js'

/** A view, as it is for the person who asks, in its site */
interface Viewed<Site> {
  readonly site: Site
  readonly view: ModelView
}

/** Handler of a model's route */
export type Show<Site> = (viewed: Viewed<Site>, ctx: HttpContext) => unknown

/**
 * Adds a route of a model.
 *
 * @param path    below the model's address
 * @param offers  what one has to be allowed to, any of them
 */
export type ModelRoute<Site> = (
  method: Method,
  path: string,
  offers: readonly Offer[],
  show: Show<Site>
) => void

/** A route of a model, as its guards know it */
export interface GuardedRoute {
  method: Method
  /** Below the model's address */
  path: string
  /** Actions of which the user must be allowed any */
  offers: readonly Offer[]
}

/**
 * Decides which routes of a model need a recent proof. [U11]
 *
 * @returns the guard that requires it of a request; undefined for a route that needs none
 */
export type ProofGuard = (
  view: ModelView,
  route: GuardedRoute
) => ((ctx: HttpContext, own: ModelView) => Promise<void>) | undefined

/**
 * Registers the routes of one model.
 */
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
   * Adds routes that get the view as the caller's roles leave it, and refuse actions that no role allows on any record, and
   * those that need a recent proof. [U4, U11]
   *
   * @param guards  middleware of these routes, after that of every route of the model
   */
  group(guards: readonly MiddlewareFn[], add: (route: ModelRoute<Site>) => void): void {
    siteRoutes(this.site, [...this.#guards, ...guards], () => {
      add((method, path, offers, show) => {
        this.#add(method, path, this.#handler({ method, path, offers }, show))
      })
    })
  }

  /**
   * Adds routes whose guards and handlers check themselves what the caller is allowed to do.
   */
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
 * Handlers of a model's routes by a controller that is loaded for the first request of any model. There is one for each view.
 *
 * @returns the handler of a method, as in `list('page')`, or of a function of controller and request
 */
export function modelPage<Module, Site, Page>(
  load: () => Promise<Module>,
  make: (module: Module) => new (site: Site, view: ModelView) => Page
) {
  const open = room(load, make)
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

/**
 * Handler of a page that requires a permission of the viewer. [P14]
 */
export function offered<Site>(offer: Offer, show: Show<Site>): Show<Site> {
  return async (viewed, ctx) => {
    if (!(await may(ctx, viewed.view, offer))) throw new NotAllowed()
    return await show(viewed, ctx)
  }
}

/**
 * Handler that logs the view of a page once it was sent: the list, or the form or page of a record. Partial pages,
 * redirects and errors are not views. [E2]
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
