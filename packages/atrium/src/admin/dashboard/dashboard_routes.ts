import type { AdminSite } from '../admin_site.js'
import { signInGuard } from '../http/guards.js'
import { readBody } from '../http/read_body.js'
import { controller } from '../http/lazy_part.js'
import { siteRoutes } from '../http/site_routes.js'

/** Registers the routes of the dashboard. */
export function dashboardRoutes(site: AdminSite): void {
  const dashboard = controller(
    () => import('./dashboard_controller.js'),
    ({ DashboardController }) => new DashboardController(site)
  )
  const arrange = controller(
    () => import('./arrange_controller.js'),
    ({ ArrangeController }) => new ArrangeController(site)
  )
  siteRoutes(site, [signInGuard, readBody], ({ get, post }) => {
    get('/', 'dashboard', dashboard('show'))
    get('/dashboard-content', 'dashboard.content', dashboard('content'))
    get('/dashboard/cards/:name', 'dashboard.card', dashboard('card'))
    get('/dashboard/arrange', 'dashboard.arrange', arrange('show'))
    post('/dashboard/arrange', 'dashboard.arrange.store', arrange('submit'))
  })
}
