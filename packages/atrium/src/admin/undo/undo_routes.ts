import type { AdminSite } from '../admin_site.js'
import { signInGuard } from '../http/guards.js'
import { readBody } from '../http/read_body.js'
import { controller } from '../http/lazy_part.js'
import { siteRoutes } from '../http/site_routes.js'

/** Registers the endpoint that undoes an event. */
export function undoRoutes(site: AdminSite): void {
  const undo = controller(
    () => import('./undo_controller.js'),
    ({ UndoController }) => new UndoController(site)
  )
  siteRoutes(site, [signInGuard, readBody], ({ post }) => {
    post('/management/events/:id/undo', 'management.event.undo', undo('undo'))
  })
}
