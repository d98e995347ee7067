import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import type { AdminSite } from '../../admin_site.js'
import { BulkController } from '../../bulk/bulk_controller.js'
import { BulkFormController } from '../../bulk/bulk_form_controller.js'
import { ChoicesController } from '../../forms/fields/choices_controller.js'
import { CreateController } from '../../forms/create_controller.js'
import { FilesController } from '../../forms/files/files_controller.js'
import { UpdateController } from '../../forms/update_controller.js'
import { ListController } from '../../list/list_controller.js'
import type { ModelView } from '../../model_view.js'
import { may, type Offer } from '../../permissions/may.js'
import type { Action } from '../../view_options.js'
import { adminRoute } from './admin_route.js'
import { registerCrudMount } from './crud_mount.js'
import { registerHistoryRoute } from './event_routes.js'
import { NotAllowed } from '../errors.js'
import { flash } from '../flash.js'
import { innerGate, outerGate } from '../guards.js'
import { logsView } from '../log_view.js'
import { readBody } from '../read_body.js'

type Route = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  handle: (ctx: HttpContext) => unknown
) => void

/**
 * Registers the pages of one model: of each action that is allowed, and of no other. [S26, B14]
 */
export function registerModelRoutes(site: AdminSite, view: ModelView): void {
  const list = new ListController(site, view)
  const create = new CreateController(site, view)
  const update = new UpdateController(site, view)
  const files = new FilesController(site, view)
  const choices = new ChoicesController(site, view)
  const route: Route = (method, path, handle) =>
    adminRoute(site, method, `/${view.name}${path}`, `${view.name}:${method} ${path}`, handle)
  const byKey = view.resource.key.pattern

  const routes: Partial<Record<Action, () => void>> = {
    view() {
      const page = logsView(view, 'list', (ctx) => list.page(ctx))
      const content = logsView(view, 'list', (ctx) => list.content(ctx))
      route('GET', '/', page)
      route('GET', '/get_model_list', content)
      route('GET', '/table-content', (ctx) => list.table(ctx))
      route(
        'GET',
        '/files/:file',
        offered(view, 'view', (ctx) => files.show(ctx))
      )
    },
    create() {
      route(
        'GET',
        '/create_page',
        offered(view, 'create', (ctx) => create.page(ctx))
      )
      route('POST', '/form_create', (ctx) => create.submit(ctx))
    },
    update() {
      const page = logsView(view, 'update', (ctx) => update.page(ctx))
      route('GET', `/update${byKey}`, page)
      route('POST', `/form_update${byKey}`, (ctx) => update.submit(ctx))
      route('POST', '/form_update', (ctx) => update.withoutId(ctx))
    },
  }

  site.router
    .group(() => {
      for (const action of view.allowedActions) routes[action]?.()
      if (view.may('create') || view.may('update')) {
        route('GET', '/choices/:field', (ctx) => choices.show(ctx))
      }
    })
    .use([outerGate, innerGate, viewGate(view), flash, readBody])
  site.router
    .group(() => registerBulkRoutes(site, view, route))
    .use([outerGate, innerGate, viewGate(view)])
  registerHistoryRoute(site, view)
  registerCrudMount(site, view)
}

/**
 * A page that is shown to those who may do what it is for. [P14]
 */
function offered(view: ModelView, offer: Offer, handle: (ctx: HttpContext) => unknown) {
  return async (ctx: HttpContext) => {
    if (!(await may(ctx, view, offer))) throw new NotAllowed()
    return await handle(ctx)
  }
}

/**
 * What is done to several records; these routes read their bodies themselves. [B14, B20]
 */
function registerBulkRoutes(site: AdminSite, view: ModelView, route: Route) {
  const bulk = new BulkController(site, view)
  const forms = new BulkFormController(site, view)
  if (view.may('delete')) {
    route('DELETE', '/bulk-delete', (ctx) => bulk.delete(ctx))
    route('POST', '/form_bulk_delete', (ctx) => forms.submit(ctx))
    if (view.resource.softDelete) route('POST', '/bulk-restore', (ctx) => bulk.restore(ctx))
  }
  for (const action of view.bulkActions.filter(({ needs }) => view.may(needs))) {
    route('POST', `/action/${action.name}`, (ctx) => forms.act(action, ctx))
  }
}

/**
 * Lets only superusers reach the admin's own models, whatever the route. [B13]
 */
export function viewGate(view: ModelView) {
  return async (ctx: HttpContext, next: NextFn) => {
    if (!view.admits(ctx)) throw new NotAllowed()
    if (!view.resource.isLoaded) await view.resource.load()
    await next()
  }
}
