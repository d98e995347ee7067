import type { AdminSite } from '../admin_site.js'
import { signedInGuard, signInGuard } from '../http/guards.js'
import { readPlainBody } from '../http/read_body.js'
import { controller } from '../http/lazy_part.js'
import { siteRoutes, viewGuard } from '../http/site_routes.js'
import AdminRole from '../models/admin_role.js'
import { MATRIX_MORE } from './matrix/permissions_widget.js'

/**
 * Registers the routes of roles other than the model pages: rows of the permissions matrix, and the start and end of
 * viewing the site as a role. The form that ends it is the only one that is accepted while viewing as a role.
 */
export function roleRoutes(site: AdminSite): void {
  const view = site.models.get(AdminRole.name)
  if (!view) return
  const viewAs = controller(
    () => import('./view_as_controller.js'),
    ({ ViewAsController }) => new ViewAsController(site, view)
  )
  const matrix = controller(
    () => import('./matrix/matrix_controller.js'),
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
