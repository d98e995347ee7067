import type { AdminSite } from '../admin_site.js'
import { signInGuard } from '../http/guards.js'
import { readBody } from '../http/read_body.js'
import { controller } from '../http/room.js'
import { siteRoutes } from '../http/site_routes.js'
import { eventsGuard } from './pages/event_access.js'

/**
 * Registers the pages of the event log, and the undo of an event. [E5, R7]
 */
export function eventRoutes(site: AdminSite): void {
  const events = controller(
    () => import('./pages/events_controller.js'),
    ({ EventsController }) => new EventsController(site)
  )
  const undo = controller(
    () => import('./undo/undo_controller.js'),
    ({ UndoController }) => new UndoController(site)
  )
  siteRoutes(site, [signInGuard, eventsGuard(site)], ({ get }) => {
    get('/management/events', 'management.events', events('index'))
    get('/management/events/:id', 'management.event', events('show'))
  })
  siteRoutes(site, [signInGuard, readBody], ({ post }) => {
    post('/management/events/:id/undo', 'management.event.undo', undo('undo'))
  })
}
