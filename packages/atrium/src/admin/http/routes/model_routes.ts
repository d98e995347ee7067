import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { BulkController } from '../../bulk/bulk_controller.js'
import { BulkFormController } from '../../bulk/bulk_form_controller.js'
import { EditController } from '../../bulk/edit/edit_controller.js'
import { HistoryController } from '../../events/history/history_controller.js'
import { ChoicesController } from '../../forms/fields/choices_controller.js'
import { CreateController } from '../../forms/create_controller.js'
import { PreviewController } from '../../forms/fields/widgets/preview_controller.js'
import { FilesController } from '../../forms/files/files_controller.js'
import { UpdateController } from '../../forms/update_controller.js'
import { CellsController } from '../../list/cells/cells_controller.js'
import { ExportController } from '../../export/export_controller.js'
import { PrintController } from '../../list/print_controller.js'
import { FacetsController } from '../../list/filters/facets_controller.js'
import { FilterController } from '../../list/filters/filter_controller.js'
import { ColumnsController } from '../../list/columns/columns_controller.js'
import { ListController } from '../../list/list_controller.js'
import { ViewsController } from '../../list/saved_views/views_controller.js'
import type { ModelView } from '../../model_view.js'
import { RecordController } from '../../record/record_controller.js'
import { RelatedController } from '../../record/related_controller.js'
import { relatedNames } from '../../relations/related_option.js'
import { may, type Offer } from '../../permissions/may.js'
import type { Action } from '../../permissions/actions.js'
import { adminRoute } from './admin_route.js'
import { registerCrudMount } from './crud_mount.js'
import { registerFormerHistoryRoute } from './event_routes.js'
import { registerImportRoutes } from './import_routes.js'
import { viewGuard } from './view_guard.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { logsView } from '../log_view.js'
import { readBody } from '../read_body.js'
import { needsProof, requireProofFor } from '../../authentication/reauthentication/proof_guard.js'
import { NotAllowed } from '../../errors.js'

/**
 * The pages of a view, as it is for the person who asks.
 */
class Pages {
  readonly list: ListController
  readonly columns: ColumnsController
  readonly views: ViewsController
  readonly create: CreateController
  readonly update: UpdateController
  readonly files: FilesController
  readonly choices: ChoicesController
  readonly preview: PreviewController
  readonly bulk: BulkController
  readonly forms: BulkFormController
  readonly edit: EditController
  readonly filter: FilterController
  readonly facets: FacetsController
  readonly print: PrintController
  readonly cells: CellsController
  readonly export: ExportController
  readonly record: RecordController
  readonly related: RelatedController
  readonly history: HistoryController

  constructor(
    site: AdminSite,
    readonly view: ModelView
  ) {
    this.list = new ListController(site, view)
    this.columns = new ColumnsController(site, view)
    this.views = new ViewsController(site, view)
    this.create = new CreateController(site, view)
    this.update = new UpdateController(site, view)
    this.files = new FilesController(site, view)
    this.choices = new ChoicesController(site, view)
    this.preview = new PreviewController(site, view)
    this.bulk = new BulkController(site, view)
    this.forms = new BulkFormController(site, view)
    this.edit = new EditController(site, view)
    this.filter = new FilterController(site, view)
    this.facets = new FacetsController(site, view)
    this.print = new PrintController(site, view)
    this.cells = new CellsController(site, view)
    this.export = new ExportController(site, view)
    this.record = new RecordController(site, view)
    this.related = new RelatedController(site, view)
    this.history = new HistoryController(site, view)
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
      const print: Show = (pages, ctx) => pages.print.show(ctx)
      route('GET', '/print', ['view'], logged('list', print))
      registerArrangement(route)
      registerExport(route)
      const record: Show = (pages, ctx) => pages.record.page(ctx)
      route('GET', `/view${byKey}`, ['view'], logged('view', record))
      for (const name of relatedNames(view.model, view.options.related)) {
        const related: Show = (pages, ctx) => pages.related.show(name, ctx)
        route('GET', `/related/${name}${byKey}`, ['view'], related)
      }
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
      route('GET', `/cell${byKey}`, ['update'], ({ cells }, ctx) => cells.edit(ctx))
      route('POST', `/cell${byKey}`, ['update'], ({ cells }, ctx) => cells.save(ctx))
    },
  }

  site.router
    .group(() => {
      for (const action of view.allowedActions) routes[action]?.()
      /* A record can be seen on its form, too. */
      if (view.may('view') || view.may('update')) {
        route('GET', `/history${byKey}`, ['read', 'update'], ({ history }, ctx) =>
          history.show(ctx)
        )
      }
      if (view.may('create') || view.may('update')) {
        route('GET', '/choices/:field', ['create', 'update'], ({ choices }, ctx) =>
          choices.show(ctx)
        )
        route('POST', '/preview/:field', ['create', 'update'], ({ preview }, ctx) =>
          preview.show(ctx)
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
  add('GET', '/export', (pages, ctx) => pages.export.show(ctx))
  add('POST', '/export', (pages, ctx) => pages.export.submit(ctx))
  add('GET', '/export/dialog', (pages, ctx) => pages.export.dialog(ctx))
}

/**
 * Registers the forms for the columns and saved views of a list. [L5, L6]
 */
function registerArrangement(route: Route) {
  const add = (method: 'GET' | 'POST', path: string, show: Show) =>
    route(method, path, ['view'], offered('view', show))
  add('GET', '/columns', ({ columns }, ctx) => columns.show(ctx))
  add('POST', '/columns', ({ columns }, ctx) => columns.submit(ctx))
  add('GET', '/views/new', ({ views }, ctx) => views.create(ctx))
  add('POST', '/views', ({ views }, ctx) => views.store(ctx))
  add('GET', '/views/:view', ({ views }, ctx) => views.edit(ctx))
  add('POST', '/views/:view', ({ views }, ctx) => views.update(ctx))
  add('POST', '/views/:view/query', ({ views }, ctx) => views.updateQuery(ctx))
  add('GET', '/views/:view/delete', ({ views }, ctx) => views.askToDelete(ctx))
  add('POST', '/views/:view/delete', ({ views }, ctx) => views.delete(ctx))
}

/**
 * Registers each route with the view as the caller's roles leave it, and refuses actions that no role
 * allows on any record, and those that need a recent proof. [U4, U11]
 */
function personalRoutes(site: AdminSite, view: ModelView): Route {
  const known = new WeakMap<ModelView, Pages>()
  const pagesOf = (own: ModelView) => {
    let pages = known.get(own)
    if (!pages) known.set(own, (pages = new Pages(site, own)))
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
    route('DELETE', '/bulk-delete', ['delete', 'purge'], ({ bulk }, ctx) => bulk.delete(ctx))
    route('POST', '/form_bulk_delete', writes, ({ forms }, ctx) => forms.submit(ctx))
    route('GET', '/form_bulk_delete', writes, ({ forms }, ctx) => forms.askToSubmit(ctx))
    if (view.resource.softDelete) {
      route('POST', '/bulk-restore', ['restore'], ({ bulk }, ctx) => bulk.restore(ctx))
    }
  }
  if (view.may('view')) {
    const selected: Show = (pages, ctx) => pages.export.ofSelected(ctx)
    route('POST', '/export/selected', ['export'], offered('export', selected))
  }
  if (view.may('update')) {
    route('GET', '/bulk-edit', ['update'], ({ edit }, ctx) => edit.page(ctx))
    route('POST', '/bulk-edit', ['update'], ({ edit }, ctx) => edit.submit(ctx))
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
