import type { AdminSite } from '../admin_site.js'
import { signInGuard } from '../http/guards.js'
import { controller } from '../http/lazy_part.js'
import { siteRoutes } from '../http/site_routes.js'
import { eventsGuard } from '../http/event_access.js'

/** Registers the pages of the event log. */
export function eventRoutes(site: AdminSite): void {
  const events = controller(
    () => import('./events_controller.js'),
    ({ EventsController }) => new EventsController(site)
  )
  siteRoutes(site, [signInGuard, eventsGuard(site)], ({ get }) => {
    get('/management/events', 'management.events', events('index'))
    get('/management/events/:id', 'management.event', events('show'))
  })
}
