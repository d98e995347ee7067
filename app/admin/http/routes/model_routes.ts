import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { BulkController } from '../../bulk/bulk_controller.js'
import { BulkFormController } from '../../bulk/bulk_form_controller.js'
import { ChoicesController } from '../../forms/fields/choices_controller.js'
import { CreateController } from '../../forms/create_controller.js'
import { FilesController } from '../../forms/files/files_controller.js'
import { UpdateController } from '../../forms/update_controller.js'
import { FacetsController } from '../../list/filters/facets_controller.js'
import { FilterController } from '../../list/filters/filter_controller.js'
import { ListController } from '../../list/list_controller.js'
import type { ModelView } from '../../model_view.js'
import { may, type Offer } from '../../permissions/may.js'
import type { Action } from '../../permissions/actions.js'
import { adminRoute } from './admin_route.js'
import { registerCrudMount } from './crud_mount.js'
import { registerHistoryRoute } from './event_routes.js'
import { viewGuard } from './view_guard.js'
import { flash } from '../flash.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { logsView } from '../log_view.js'
import { readBody } from '../read_body.js'
import { NotAllowed } from '../../errors.js'

/**
 * The pages of a view, as it is for the person who asks.
 */
class Pages {
  readonly list: ListController
  readonly create: CreateController
  readonly update: UpdateController
  readonly files: FilesController
  readonly choices: ChoicesController
  readonly bulk: BulkController
  readonly forms: BulkFormController
  readonly filter: FilterController
  readonly facets: FacetsController

  constructor(
    site: AdminSite,
    readonly view: ModelView
  ) {
    this.list = new ListController(site, view)
    this.create = new CreateController(site, view)
    this.update = new UpdateController(site, view)
    this.files = new FilesController(site, view)
    this.choices = new ChoicesController(site, view)
    this.bulk = new BulkController(site, view)
    this.forms = new BulkFormController(site, view)
    this.filter = new FilterController(site, view)
    this.facets = new FacetsController(site, view)
  }
}

type Show = (pages: Pages, ctx: HttpContext) => unknown

/**
 * @param offers  what one has to be allowed to, any of them
 */
type Route = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  offers: readonly Offer[],
  show: Show
) => void

/**
 * Registers the pages of one model, for its allowed actions only. [S26, B14]
 */
export function registerModelRoutes(site: AdminSite, view: ModelView): void {
  const route = personalRoutes(site, view)
  const byKey = view.resource.key.pattern

  const routes: Partial<Record<Action, () => void>> = {
    view() {
      const page: Show = ({ list }, ctx) => list.page(ctx)
      const content: Show = ({ list }, ctx) => list.content(ctx)
      route('GET', '/', ['view'], logged('list', page))
      route('GET', '/get_model_list', ['view'], logged('list', content))
      route('GET', '/table-content', ['view'], ({ list }, ctx) => list.table(ctx))
      const filter: Show = (pages, ctx) => pages.filter.show(ctx)
      const choices: Show = (pages, ctx) => pages.choices.forFilter(ctx)
      const facets: Show = (pages, ctx) => pages.facets.show(ctx)
      route('GET', '/filter', ['view'], offered('view', filter))
      route('GET', '/filter/choices/:field', ['view'], offered('view', choices))
      route('GET', '/facets', ['view'], offered('view', facets))
      route(
        'GET',
        '/files/:file',
        ['view'],
        offered('view', ({ files }, ctx) => files.show(ctx))
      )
    },
    create() {
      route(
        'GET',
        '/create_page',
        ['create'],
        offered('create', ({ create }, ctx) => create.page(ctx))
      )
      route('POST', '/form_create', ['create'], ({ create }, ctx) => create.submit(ctx))
    },
    update() {
      const page: Show = ({ update }, ctx) => update.page(ctx)
      route('GET', `/update${byKey}`, ['update'], logged('update', page))
      route('POST', `/form_update${byKey}`, ['update'], ({ update }, ctx) => update.submit(ctx))
      route('POST', '/form_update', ['update'], ({ update }, ctx) => update.withoutId(ctx))
    },
  }

  site.router
    .group(() => {
      for (const action of view.allowedActions) routes[action]?.()
      if (view.may('create') || view.may('update')) {
        route('GET', '/choices/:field', ['create', 'update'], ({ choices }, ctx) =>
          choices.show(ctx)
        )
      }
    })
    .use([siteMiddleware, signInGuard, viewGuard(view), flash, readBody])
  site.router
    .group(() => registerBulkRoutes(view, route))
    .use([siteMiddleware, signInGuard, viewGuard(view)])
  registerHistoryRoute(site, view)
  registerCrudMount(site, view)
}

/**
 * Registers each route with the view as the caller's roles leave it, and refuses actions that no role
 * allows on any record. [U4]
 */
function personalRoutes(site: AdminSite, view: ModelView): Route {
  const known = new WeakMap<ModelView, Pages>()
  const pagesOf = (own: ModelView) => {
    let pages = known.get(own)
    if (!pages) known.set(own, (pages = new Pages(site, own)))
    return pages
  }
  return (method, path, offers, show) =>
    adminRoute(
      site,
      method,
      `/${view.name}${path}`,
      `${view.name}:${method} ${path}`,
      async (ctx) => {
        const own = await view.for(ctx)
        if (!offers.some((offer) => own.may(offer))) throw new NotAllowed()
        return await show(pagesOf(own), ctx)
      }
    )
}

/**
 * Handler of a page that requires a permission of the viewer. [P14]
 */
function offered(offer: Offer, show: Show): Show {
  return async (pages, ctx) => {
    if (!(await may(ctx, pages.view, offer))) throw new NotAllowed()
    return await show(pages, ctx)
  }
}

function logged(page: 'list' | 'update', show: Show): Show {
  return (pages, ctx) => logsView(pages.view, page, () => show(pages, ctx))(ctx)
}

/**
 * Routes of the bulk tasks, which read their bodies themselves. [B14, B20]
 */
function registerBulkRoutes(view: ModelView, route: Route) {
  if (view.may('delete')) {
    const writes = ['delete', 'purge', 'restore'] as const
    route('DELETE', '/bulk-delete', ['delete', 'purge'], ({ bulk }, ctx) => bulk.delete(ctx))
    route('POST', '/form_bulk_delete', writes, ({ forms }, ctx) => forms.submit(ctx))
    route('GET', '/form_bulk_delete', writes, ({ forms }, ctx) => forms.askToSubmit(ctx))
    if (view.resource.softDelete) {
      route('POST', '/bulk-restore', ['restore'], ({ bulk }, ctx) => bulk.restore(ctx))
    }
  }
  for (const action of view.bulkActions.filter(({ needs }) => view.may(needs))) {
    route('POST', `/action/${action.name}`, [action.needs], ({ forms }, ctx) =>
      forms.act(action, ctx)
    )
    route('GET', `/action/${action.name}`, [action.needs], ({ forms }, ctx) =>
      forms.askToAct(action, ctx)
    )
  }
}
