import type { AdminSite } from '../../admin_site.js'
import { controller } from '../../room.js'
import AdminRole from '../../models/admin_role.js'
import { MATRIX_MORE } from '../../permissions/matrix/permissions_widget.js'
import { signedInGuard, signInGuard, siteMiddleware } from '../guards.js'
import { readPlainBody } from '../read_body.js'
import { adminRoute } from './admin_route.js'
import { viewGuard } from './view_guard.js'

/**
 * Registers what roles have in addition to the pages of every model: the rows of the matrix, and where a superuser
 * begins to see the site as a role, and stops. The latter is the one form that is accepted in the meantime. [U6]
 */
export function registerRoleRoutes(site: AdminSite): void {
  const view = site.models.get(AdminRole.name)
  if (!view) return
  const viewAs = controller(
    () => import('../../permissions/view_as/view_as_controller.js'),
    ({ ViewAsController }) => new ViewAsController(site, view)
  )
  const matrix = controller(
    () => import('../../permissions/matrix/matrix_controller.js'),
    ({ MatrixController }) => new MatrixController(site)
  )
  const path = `/${view.name}/view_as${view.resource.key.pattern}`
  site.router
    .group(() => {
      adminRoute(
        site,
        'GET',
        MATRIX_MORE,
        `${view.name}:permissions`,
        matrix((page, ctx) => page.show(ctx))
      )
      adminRoute(
        site,
        'POST',
        path,
        `${view.name}:view_as`,
        viewAs((page, ctx) => page.start(ctx))
      )
    })
    .use([siteMiddleware, signInGuard, viewGuard(view), readPlainBody])
  site.router
    .group(() =>
      adminRoute(
        site,
        'POST',
        '/view-as/stop',
        'view_as.stop',
        viewAs((page, ctx) => page.stop(ctx))
      )
    )
    .use([siteMiddleware, signedInGuard, readPlainBody])
}
