import type { AdminSite } from '../../admin_site.js'
import AdminRole from '../../models/admin_role.js'
import { MatrixController } from '../../permissions/matrix/matrix_controller.js'
import { MATRIX_MORE } from '../../permissions/matrix/permissions_widget.js'
import { ViewAsController } from '../../permissions/view_as/view_as_controller.js'
import { signedInGuard, signInGuard, siteMiddleware } from '../guards.js'
import { readPlainBody } from '../read_body.js'
import { adminRoute } from './admin_route.js'
import { viewGuard } from './view_guard.js'

/**
 * Registers what roles have beside the pages of every model: the rows of the matrix, and where a superuser
 * begins to see the site as a role, and stops. The latter is the one form that is taken meanwhile. [U6]
 */
export function registerRoleRoutes(site: AdminSite): void {
  const view = site.models.get(AdminRole.name)
  if (!view) return
  const viewAs = new ViewAsController(site, view)
  const matrix = new MatrixController(site)
  const path = `/${view.name}/view_as${view.resource.key.pattern}`
  site.router
    .group(() => {
      adminRoute(site, 'GET', MATRIX_MORE, `${view.name}:permissions`, (ctx) => matrix.show(ctx))
      adminRoute(site, 'POST', path, `${view.name}:view_as`, (ctx) => viewAs.start(ctx))
    })
    .use([siteMiddleware, signInGuard, viewGuard(view), readPlainBody])
  site.router
    .group(() =>
      adminRoute(site, 'POST', '/view-as/stop', 'view_as.stop', (ctx) => viewAs.stop(ctx))
    )
    .use([siteMiddleware, signedInGuard, readPlainBody])
}
