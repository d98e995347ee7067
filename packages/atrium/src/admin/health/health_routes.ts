import type { AdminSite } from '../admin_site.js'
import { superuserGuard } from '../http/event_access.js'
import { signInGuard } from '../http/guards.js'
import { controller } from '../http/lazy_part.js'
import { siteRoutes } from '../http/site_routes.js'

/** Registers the health page, for superusers. */
export function healthRoutes(site: AdminSite): void {
  const health = controller(
    () => import('./health_report.js'),
    ({ HealthController }) => new HealthController(site)
  )
  siteRoutes(site, [signInGuard, superuserGuard], ({ get }) => {
    get('/management/health', 'management.health', health('show'))
  })
}
