import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { relatedNames } from '../../relations/relation_options.js'
import { may, type Offer } from '../../permissions/may.js'
import type { Action } from '../../permissions/offers.js'
import { adminRoute, viewGuard } from './admin_route.js'
import { registerCrudMount } from './crud_mount.js'
import { registerFormerHistoryRoute } from './event_routes.js'
import { registerImportRoutes } from './job_routes.js'
import { signInGuard, siteMiddleware, logsView } from '../guards.js'
import { ModelPages, on, type Show } from './model_pages.js'
import { readBody } from '../read_body.js'
import { needsProof, requireProofFor } from '../../authentication/action_guards.js'
import { NotAllowed } from '../../errors.js'

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
      const whole = on('list', (page, ctx) => page.page(ctx))
      const content = on('list', (page, ctx) => page.content(ctx))
      route('GET', '/', ['view'], logged('list', whole))
      route('GET', '/get_model_list', ['view'], logged('list', content))
      route(
        'GET',
        '/table-content',
        ['view'],
        on('list', (page, ctx) => page.table(ctx))
      )
      const filter = on('filter', (page, ctx) => page.show(ctx))
      const choices = on('choices', (page, ctx) => page.forFilter(ctx))
      const facets = on('facets', (page, ctx) => page.show(ctx))
      route('GET', '/filter', ['view'], offered('view', filter))
      route('GET', '/filter/choices/:field', ['view'], offered('view', choices))
      route('GET', '/facets', ['view'], offered('view', facets))
      const print = on('print', (page, ctx) => page.show(ctx))
      route('GET', '/print', ['view'], logged('list', print))
      registerArrangement(route)
      registerExport(route)
      const record = on('record', (page, ctx) => page.page(ctx))
      route('GET', `/view${byKey}`, ['view'], logged('view', record))
      for (const name of relatedNames(view.model, view.options.related)) {
        const related = on('related', (page, ctx) => page.show(name, ctx))
        route('GET', `/related/${name}${byKey}`, ['view'], related)
      }
      route(
        'GET',
        '/files/:file',
        ['view'],
        offered(
          'view',
          on('files', (page, ctx) => page.show(ctx))
        )
      )
    },
    create() {
      route(
        'GET',
        '/create_page',
        ['create'],
        offered(
          'create',
          on('create', (page, ctx) => page.page(ctx))
        )
      )
      route(
        'POST',
        '/form_create',
        ['create'],
        on('create', (page, ctx) => page.submit(ctx))
      )
    },
    update() {
      const whole = on('update', (page, ctx) => page.page(ctx))
      route('GET', `/update${byKey}`, ['update'], logged('update', whole))
      route(
        'POST',
        `/form_update${byKey}`,
        ['update'],
        on('update', (page, ctx) => page.submit(ctx))
      )
      route(
        'POST',
        '/form_update',
        ['update'],
        on('update', (page, ctx) => page.withoutId(ctx))
      )
      route(
        'GET',
        `/cell${byKey}`,
        ['update'],
        on('cells', (page, ctx) => page.edit(ctx))
      )
      route(
        'POST',
        `/cell${byKey}`,
        ['update'],
        on('cells', (page, ctx) => page.save(ctx))
      )
    },
  }

  site.router
    .group(() => {
      for (const action of view.allowedActions) routes[action]?.()
      /* A record can be seen on its form, too. */
      if (view.may('view') || view.may('update')) {
        route(
          'GET',
          `/history${byKey}`,
          ['read', 'update'],
          on('history', (page, ctx) => page.show(ctx))
        )
      }
      if (view.may('create') || view.may('update')) {
        route(
          'GET',
          '/choices/:field',
          ['create', 'update'],
          on('choices', (page, ctx) => page.show(ctx))
        )
        route(
          'POST',
          '/preview/:field',
          ['create', 'update'],
          on('preview', (page, ctx) => page.show(ctx))
        )
      }
    })
    .use([siteMiddleware, signInGuard, viewGuard(view), readBody])
  site.router
    .group(() => registerBulkRoutes(view, route))
    .use([siteMiddleware, signInGuard, viewGuard(view)])
  if (view.may('view') || view.may('update')) registerFormerHistoryRoute(site, view)
  registerImportRoutes(site, view)
  registerCrudMount(site, view)
}

/**
 * Registers the export of a list, and its dialog. [D2]
 */
function registerExport(route: Route) {
  const add = (method: 'GET' | 'POST', path: string, show: Show) =>
    route(method, path, ['export'], offered('export', show))
  add(
    'GET',
    '/export',
    on('export', (page, ctx) => page.show(ctx))
  )
  add(
    'POST',
    '/export',
    on('export', (page, ctx) => page.submit(ctx))
  )
  add(
    'GET',
    '/export/dialog',
    on('export', (page, ctx) => page.dialog(ctx))
  )
}

/**
 * Registers the forms for the columns and saved views of a list. [L5, L6]
 */
function registerArrangement(route: Route) {
  const add = (method: 'GET' | 'POST', path: string, show: Show) =>
    route(method, path, ['view'], offered('view', show))
  add(
    'GET',
    '/columns',
    on('columns', (page, ctx) => page.show(ctx))
  )
  add(
    'POST',
    '/columns',
    on('columns', (page, ctx) => page.submit(ctx))
  )
  add(
    'GET',
    '/views/new',
    on('views', (page, ctx) => page.create(ctx))
  )
  add(
    'POST',
    '/views',
    on('views', (page, ctx) => page.store(ctx))
  )
  add(
    'GET',
    '/views/:view',
    on('views', (page, ctx) => page.edit(ctx))
  )
  add(
    'POST',
    '/views/:view',
    on('views', (page, ctx) => page.update(ctx))
  )
  add(
    'POST',
    '/views/:view/query',
    on('views', (page, ctx) => page.updateQuery(ctx))
  )
  add(
    'GET',
    '/views/:view/delete',
    on('views', (page, ctx) => page.askToDelete(ctx))
  )
  add(
    'POST',
    '/views/:view/delete',
    on('views', (page, ctx) => page.delete(ctx))
  )
}

/**
 * Registers each route with the view as the caller's roles leave it, and refuses actions that no role
 * allows on any record, and those that need a recent proof. [U4, U11]
 */
function personalRoutes(site: AdminSite, view: ModelView): Route {
  const known = new WeakMap<ModelView, ModelPages>()
  const pagesOf = (own: ModelView) => {
    let pages = known.get(own)
    if (!pages) known.set(own, (pages = new ModelPages(site, own)))
    return pages
  }
  return (method, path, offers, show) => {
    const isProved = needsProof(view, { method, path, offers })
    adminRoute(
      site,
      method,
      `/${view.name}${path}`,
      `${view.name}:${method} ${path}`,
      async (ctx) => {
        const own = await view.for(ctx)
        if (!offers.some((offer) => own.may(offer))) throw new NotAllowed()
        if (isProved) await requireProofFor(ctx, site, own, path)
        return await show(pagesOf(own), ctx)
      }
    )
  }
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

function logged(page: 'list' | 'update' | 'view', show: Show): Show {
  return (pages, ctx) => logsView(pages.view, page, () => show(pages, ctx))(ctx)
}

/**
 * Routes of the bulk tasks, which read their bodies themselves. [B14, B20]
 */
function registerBulkRoutes(view: ModelView, route: Route) {
  if (view.may('delete')) {
    const writes = ['delete', 'purge', 'restore'] as const
    route(
      'DELETE',
      '/bulk-delete',
      ['delete', 'purge'],
      on('bulk', (page, ctx) => page.delete(ctx))
    )
    route(
      'POST',
      '/form_bulk_delete',
      writes,
      on('forms', (page, ctx) => page.submit(ctx))
    )
    route(
      'GET',
      '/form_bulk_delete',
      writes,
      on('forms', (page, ctx) => page.askToSubmit(ctx))
    )
    if (view.resource.softDelete) {
      route(
        'POST',
        '/bulk-restore',
        ['restore'],
        on('bulk', (page, ctx) => page.restore(ctx))
      )
    }
  }
  if (view.may('view')) {
    const selected = on('export', (page, ctx) => page.ofSelected(ctx))
    route('POST', '/export/selected', ['export'], offered('export', selected))
  }
  if (view.may('update')) {
    route(
      'GET',
      '/bulk-edit',
      ['update'],
      on('edit', (page, ctx) => page.page(ctx))
    )
    route(
      'POST',
      '/bulk-edit',
      ['update'],
      on('edit', (page, ctx) => page.submit(ctx))
    )
  }
  for (const action of view.bulkActions.filter(({ needs }) => view.may(needs))) {
    route(
      'POST',
      `/action/${action.name}`,
      [action.needs],
      on('forms', (page, ctx) => page.act(action, ctx))
    )
    route(
      'GET',
      `/action/${action.name}`,
      [action.needs],
      on('forms', (page, ctx) => page.askToAct(action, ctx))
    )
  }
}
