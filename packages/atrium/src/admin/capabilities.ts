import { accountRoutes } from './account/account_routes.js'
import type { AdminSite } from './admin_site.js'
import { proofGuard } from './authentication/action_guards.js'
import { authenticationRoutes } from './authentication/authentication_routes.js'
import { bulkRoutes } from './bulk/bulk_routes.js'
import { dashboardRoutes, newCardRoutes } from './dashboard/dashboard_routes.js'
import { formerHistoryPath, historyRoutes } from './history/history_routes.js'
import { formRoutes } from './forms/form_routes.js'
import { registerCrudMount } from './http/crud_mount.js'
import { ModelRoutes, modelPage, offered } from './http/model_routes.js'
import { importRoutes } from './import/import_routes.js'
import { listRoutes } from './list/list_routes.js'
import type { ModelView } from './views/model_view.js'
import { recordRoutes } from './record/record_routes.js'
import { mcpRoutes } from './mcp/mcp_routes.js'
import { readBody, readPlainBody } from './http/read_body.js'
import { type RoutedSite, siteRoutes, viewGuard } from './http/site_routes.js'
import type { Site } from './views/site.js'
import { signInGuard, signedInGuard } from './http/guards.js'
import { controller, lazyPart } from './http/lazy_part.js'
import { eventsGuard, superuserGuard } from './http/event_access.js'
import AdminWebhook from './models/admin_webhook.js'
import type { WebhookPages } from './webhooks/webhook_controller.js'
import type { JobKind } from './jobs/job_kind.js'
import AdminRole from './models/admin_role.js'
import { MATRIX_MORE } from './roles/matrix/permissions_widget.js'

/*
 * The routes of capabilities with few of them are registered here; the other capabilities have a file for their
 * routes in their folder.
 */

/** Functions that register the routes of the site */
const SITE_ROUTES = [
  layoutRoutes,
  authenticationRoutes,
  dashboardRoutes,
  searchRoutes,
  accountRoutes,
  eventRoutes,
  undoRoutes,
  healthRoutes,
  jobRoutes,
  roleRoutes,
  webhookRoutes,
  mcpRoutes,
]

/** Functions that register the routes of each model */
const MODEL_ROUTES = [
  listRoutes,
  newCardRoutes,
  exportRoutes,
  recordRoutes,
  formRoutes,
  cellRoutes,
  historyRoutes,
  bulkRoutes,
  compareRoutes,
  orderRoutes,
  duplicatesRoutes,
  importRoutes,
]

/**
 * Registers the routes of all capabilities. The routes of a model are registered at the first request to one of its
 * paths.
 */
export function registerRoutes(site: AdminSite): void {
  for (const register of SITE_ROUTES) register(site)
  for (const view of site.models.values()) {
    site.router.later([site.url(`/${view.name}`), site.url(formerHistoryPath(view))], () =>
      registerModelRoutes(site, view)
    )
  }
}

/** Registers the pages and endpoints of one model, for the allowed actions only. */
export function registerModelRoutes(site: AdminSite, view: ModelView): void {
  const routes = new ModelRoutes(site, view, proofGuard(site))
  for (const register of MODEL_ROUTES) register(routes)
  registerCrudMount(site, view)
}

/** Registers the search of the site. */
function searchRoutes(site: AdminSite): void {
  const search = controller(
    () => import('./search/site_search.js'),
    ({ SearchController }) => new SearchController(site)
  )
  siteRoutes(site, [signInGuard, readBody], ({ get }) => get('/search', 'search', search('show')))
}

/** Registers the pages of the event log. */
function eventRoutes(site: AdminSite): void {
  const events = controller(
    () => import('./event_log/events_controller.js'),
    ({ EventsController }) => new EventsController(site)
  )
  siteRoutes(site, [signInGuard, eventsGuard(site)], ({ get }) => {
    get('/management/events', 'management.events', events('index'))
    get('/management/events/:id', 'management.event', events('show'))
  })
}

/** Registers the endpoint that undoes an event. */
function undoRoutes(site: AdminSite): void {
  const undo = controller(
    () => import('./undo/undo_controller.js'),
    ({ UndoController }) => new UndoController(site)
  )
  siteRoutes(site, [signInGuard, readBody], ({ post }) => {
    post('/management/events/:id/undo', 'management.event.undo', undo('undo'))
  })
}

/** Registers the health page, for superusers. */
function healthRoutes(site: AdminSite): void {
  const health = controller(
    () => import('./health/health_report.js'),
    ({ HealthController }) => new HealthController(site)
  )
  siteRoutes(site, [signInGuard, superuserGuard], ({ get }) => {
    get('/management/health', 'management.health', health('show'))
  })
}

/** Registers the pages of background jobs. Users see their own jobs, superusers all jobs. */
function jobRoutes(site: AdminSite): void {
  const jobs = controller(
    () => import('./jobs/pages/jobs_controller.js'),
    ({ JobsController }) => new JobsController(site)
  )
  const path = '/management/jobs'
  siteRoutes(site, [signInGuard, readPlainBody], ({ get, post }) => {
    get(path, 'management.jobs', jobs('index'))
    get(`${path}/:id`, 'management.job', jobs('show'))
    get(`${path}/:id/file`, 'management.job.file', jobs('file'))
    post(`${path}/:id/cancel`, 'management.job.cancel', jobs('cancel'))
    post(`${path}/:id/again`, 'management.job.again', jobs('again'))
  })
  siteRoutes(site, [signInGuard, readBody], ({ post }) => {
    post(`${path}/:id/undo`, 'management.job.undo', jobs('undo'))
  })
}

/** Registers the pages and actions of a webhook: deliveries, test messages, replays and the secret. For superusers. */
function webhookRoutes(site: RoutedSite & WebhookPages): void {
  const view = site.models.get(AdminWebhook.name)
  if (!view) return
  const webhook = controller(
    () => import('./webhooks/webhook_controller.js'),
    ({ WebhookController }) => new WebhookController(site, view)
  )
  const path = (task: string) => `/${view.name}/${task}/:id`
  siteRoutes(site, [signInGuard, viewGuard(view), readPlainBody], ({ get, post }) => {
    get(path('deliveries'), 'webhooks.deliveries', webhook('deliveries'))
    get(path('delivery'), 'webhooks.delivery', webhook('delivery'))
    post(path('send_again'), 'webhooks.send_again', webhook('sendAgain'))
    post(path('send_test'), 'webhooks.send_test', webhook('sendTest'))
    post(path('replay'), 'webhooks.replay', webhook('replay'))
    post(path('show_secret'), 'webhooks.show_secret', webhook('showSecret'))
    post(path('rotate_secret'), 'webhooks.rotate_secret', webhook('rotateSecret'))
  })
}

const exports = modelPage(
  () => import('./export/export_controller.js'),
  ({ ExportController }) => ExportController
)

/**
 * Registers the export of a list, the dialog, and the export of selected records, whose handler parses the request
 * body.
 */
function exportRoutes(routes: ModelRoutes<AdminSite>): void {
  const { view } = routes
  if (view.allowedActions.has('view')) {
    routes.group([readBody], (route) => {
      route('GET', '/export', ['export'], offered('export', exports('show')))
      route('POST', '/export', ['export'], offered('export', exports('submit')))
      route('GET', '/export/dialog', ['export'], offered('export', exports('dialog')))
    })
  }
  if (view.may('view')) {
    routes.group([], (route) => {
      route('POST', '/export/selected', ['export'], offered('export', exports('ofSelected')))
    })
  }
}

const cells = modelPage(
  () => import('./cells/cells_controller.js'),
  ({ CellsController }) => CellsController
)

/** Registers the endpoints to edit cells of a list in place. */
function cellRoutes(routes: ModelRoutes<AdminSite>): void {
  const { view } = routes
  if (!view.allowedActions.has('update')) return
  const path = `/cell${view.resource.key.pattern}`
  routes.group([readBody], (route) => {
    route('GET', path, ['update'], cells('edit'))
    route('POST', path, ['update'], cells('save'))
  })
}

const compare = modelPage(
  () => import('./compare/compare_controller.js'),
  ({ CompareController }) => CompareController
)

/** Registers the page that shows selected records of a model side by side. */
function compareRoutes(routes: ModelRoutes<Site & RoutedSite>): void {
  const { view } = routes
  if (!view.allowedActions.has('view')) return
  routes.group([], (route) => route('GET', '/compare', ['view'], compare('page')))
}

const order = modelPage(
  () => import('./ordering/order_controller.js'),
  ({ OrderController }) => OrderController
)

/** Registers the endpoints that move the records of a model, if their order is stored. */
function orderRoutes(routes: ModelRoutes<AdminSite>): void {
  const { view } = routes
  if (!view.orderColumn || !view.allowedActions.has('update')) return
  const path = `/move${view.resource.key.pattern}`
  routes.group([readBody], (route) => {
    route('GET', path, ['update'], order('ask'))
    route('POST', path, ['update'], order('move'))
  })
}

/**
 * Registers the site's kinds of jobs. The module of a kind is loaded when the first job of that kind is run or shown.
 * The names are stored with jobs, so they must not change.
 */
export function registerJobKinds(site: AdminSite): void {
  const kind = <Module>(
    name: string,
    load: () => Promise<Module>,
    make: (module: Module) => JobKind
  ) => site.jobs.register(name, lazyPart(load, make))
  kind(
    'bulk',
    () => import('./bulk/bulk_job.js'),
    ({ BulkJob }) => new BulkJob(site)
  )
  kind(
    'merge',
    () => import('./duplicates/merge_job.js'),
    ({ MergeJob }) => new MergeJob(site)
  )
  kind(
    'import_trial',
    () => import('./import/jobs/import_job.js'),
    ({ ImportDryRunJob }) => new ImportDryRunJob(site)
  )
  kind(
    'import',
    () => import('./import/jobs/import_job.js'),
    ({ ImportJob }) => new ImportJob(site)
  )
  kind(
    'export',
    () => import('./export/export_job.js'),
    ({ ExportJob }) => new ExportJob(site)
  )
  kind(
    'undo',
    () => import('./undo/job_undo.js'),
    ({ UndoJob }) => new UndoJob(site)
  )
  kind(
    'undo-parts',
    () => import('./undo/job_undo.js'),
    ({ UndoPartsJob }) => new UndoPartsJob(site)
  )
  kind(
    'webhook_replay',
    () => import('./webhooks/replay_job.js'),
    ({ ReplayJob }) => new ReplayJob(site)
  )
  kind(
    'undo-session',
    () => import('./mcp/session_undo.js'),
    ({ UndoSessionJob }) => new UndoSessionJob(site)
  )
}

/** Registers the routes of the assets, the theme and the keyboard shortcuts. */
function layoutRoutes(site: AdminSite): void {
  const assets = controller(
    () => import('./layout/site_controllers.js'),
    ({ AssetsController }) => new AssetsController(site.assets)
  )
  const theme = controller(
    () => import('./layout/site_controllers.js'),
    ({ ThemeController }) => new ThemeController(site)
  )
  const keys = controller(
    () => import('./layout/site_controllers.js'),
    ({ KeysController }) => new KeysController(site)
  )
  siteRoutes(site, [readPlainBody], ({ get, post }) => {
    get('/assets/:file', 'assets', assets('show'))
    post('/theme', 'theme', theme('update'))
  })
  siteRoutes(site, [signInGuard, readPlainBody], ({ get }) => get('/keys', 'keys', keys('show')))
}

const duplicates = modelPage(
  () => import('./duplicates/duplicates_controller.js'),
  ({ DuplicatesController }) => DuplicatesController
)
const merge = modelPage(
  () => import('./duplicates/merge_controller.js'),
  ({ MergeController }) => MergeController
)

/** Registers the pages that find duplicates of a model of the application and merge records. */
function duplicatesRoutes(routes: ModelRoutes<AdminSite>): void {
  const { view } = routes
  if (view.adminModel || !view.allowedActions.has('view')) return
  routes.group([readBody], (route) => {
    route('GET', '/duplicates', ['view'], duplicates('page'))
    if (!view.may('update') || !view.may('delete')) return
    route('POST', '/duplicates', ['update'], duplicates('submit'))
    route('GET', '/merge', ['update'], merge('page'))
    route('POST', '/merge', ['update'], merge('submit'))
  })
}

/**
 * Registers the routes of roles other than the model pages: rows of the permissions matrix, and the start and end of
 * viewing the site as a role. The form that ends it is the only one that is accepted while viewing as a role.
 */
function roleRoutes(site: AdminSite): void {
  const view = site.models.get(AdminRole.name)
  if (!view) return
  const viewAs = controller(
    () => import('./roles/view_as_controller.js'),
    ({ ViewAsController }) => new ViewAsController(site, view)
  )
  const matrix = controller(
    () => import('./roles/matrix/permissions_widget.js'),
    ({ MatrixController }) => new MatrixController(site)
  )
  siteRoutes(site, [signInGuard, viewGuard(view), readPlainBody], ({ get, post }) => {
    get(MATRIX_MORE, `${view.name}:permissions`, matrix('show'))
    const path = `/${view.name}/view_as${view.resource.key.pattern}`
    post(path, `${view.name}:view_as`, viewAs('start'))
  })
  siteRoutes(site, [signedInGuard, readPlainBody], ({ post }) => {
    post('/view-as/stop', 'view_as.stop', viewAs('stop'))
  })
}
