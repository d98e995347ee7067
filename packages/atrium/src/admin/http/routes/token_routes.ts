import type { AdminSite } from '../../admin_site.js'
import { controller } from '../../room.js'
import AdminUser from '../../models/admin_user.js'
import { signedInGuard, signInGuard, siteMiddleware } from '../guards.js'
import type { ModelView } from '../../model_view.js'
import { readPlainBody } from '../read_body.js'
import AdminRole from '../../models/admin_role.js'
import { MATRIX_MORE } from '../../permissions/matrix/permissions_widget.js'
import { adminRoute, viewGuard } from './admin_route.js'

/**
 * Registers what is made on the page of a user: access tokens, whose list uses their view, and the link to choose a
 * password. [P10, U12]
 */
export function registerTokenRoutes(site: AdminSite): void {
  const view = site.models.get(AdminUser.name)
  if (!view?.may('update')) return
  const invite = controller(
    () => import('../../authentication/invitations/invitation_controller.js'),
    ({ InviteController }) => new InviteController(site, view)
  )
  const tokens = controller(
    () => import('../../authentication/access_tokens/token_controller.js'),
    ({ TokenController }) => new TokenController(site, view)
  )
  const path = `/${view.name}/issue_token${view.resource.key.pattern}`
  const invitePath = `/${view.name}/invite${view.resource.key.pattern}`
  site.router
    .group(() => {
      adminRoute(
        site,
        'POST',
        path,
        `${view.name}:issue_token`,
        tokens((page, ctx) => page.issue(ctx))
      )
      adminRoute(
        site,
        'POST',
        invitePath,
        `${view.name}:invite`,
        invite((page, ctx) => page.make(ctx))
      )
    })
    .use([siteMiddleware, signInGuard, viewGuard(view), readPlainBody])
  registerSignInAs(site, view)
}

/** Stopping is open to who is signed in as a user, whatever that user may do. [U14] */
function registerSignInAs(site: AdminSite, view: ModelView): void {
  const signInAs = controller(
    () => import('../../authentication/sign_in_as/sign_in_as_controller.js'),
    ({ SignInAsController }) => new SignInAsController(site, view)
  )
  const path = `/${view.name}/sign_in_as${view.resource.key.pattern}`
  site.router
    .group(() =>
      adminRoute(
        site,
        'POST',
        path,
        `${view.name}:sign_in_as`,
        signInAs((page, ctx) => page.start(ctx))
      )
    )
    .use([siteMiddleware, signInGuard, viewGuard(view), readPlainBody])
  site.router
    .group(() =>
      adminRoute(
        site,
        'POST',
        '/sign-in-as/stop',
        'sign_in_as.stop',
        signInAs((page, ctx) => page.stop(ctx))
      )
    )
    .use([siteMiddleware, signedInGuard, readPlainBody])
}

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
