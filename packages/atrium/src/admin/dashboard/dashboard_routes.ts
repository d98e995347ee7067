import type { AdminSite } from '../admin_site.js'
import { signInGuard } from '../http/guards.js'
import { readBody } from '../http/read_body.js'
import { controller } from '../http/room.js'
import { siteRoutes } from '../http/site_routes.js'

/** Registers the routes of the dashboard. */
export function dashboardRoutes(site: AdminSite): void {
  const dashboard = controller(
    () => import('./dashboard_controller.js'),
    ({ DashboardController }) => new DashboardController(site)
  )
  siteRoutes(site, [signInGuard, readBody], ({ get }) => {
    get('/', 'dashboard', dashboard('show'))
    get('/dashboard-content', 'dashboard.content', dashboard('content'))
  })
}
