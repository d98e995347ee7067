import { accountRoutes } from './account/account_routes.js'
import type { AdminSite } from './admin_site.js'
import { proofGuard } from './authentication/action_guards.js'
import { authenticationRoutes } from './authentication/authentication_routes.js'
import { bulkRoutes } from './bulk/bulk_routes.js'
import { compareRoutes } from './compare/compare_routes.js'
import { dashboardRoutes } from './dashboard/dashboard_routes.js'
import { duplicatesRoutes } from './duplicates/duplicates_routes.js'
import { eventRoutes } from './event_log/event_routes.js'
import { formerHistoryPath, historyRoutes } from './history/history_routes.js'
import { exportRoutes } from './export/export_routes.js'
import { formRoutes } from './forms/form_routes.js'
import { healthRoutes } from './health/health_routes.js'
import { registerCrudMount } from './http/crud_mount.js'
import { ModelRoutes } from './http/model_routes.js'
import { importRoutes } from './import/import_routes.js'
import { jobRoutes } from './jobs/job_routes.js'
import { layoutRoutes } from './layout/layout_routes.js'
import { listRoutes } from './list/list_routes.js'
import { roleRoutes } from './roles/role_routes.js'
import type { ModelView } from './views/model_view.js'
import { orderRoutes } from './ordering/order_routes.js'
import { recordRoutes } from './record/record_routes.js'
import { searchRoutes } from './search/search_routes.js'
import { mcpRoutes } from './mcp/mcp_routes.js'
import { webhookRoutes } from './webhooks/webhook_routes.js'
import { undoRoutes } from './undo/undo_routes.js'
import { cellRoutes } from './cells/cell_routes.js'

/** Register the routes of the site */
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

/** Register the routes of each model */
const MODEL_ROUTES = [
  listRoutes,
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
 * Registers the routes of all capabilities. Those of a model are registered at the first request for it.
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
