import type { AdminSite } from '../../admin_site.js'
import { controller } from '../../room.js'
import AdminUser from '../../models/admin_user.js'
import { adminRoute } from './admin_route.js'
import { signedInGuard, signInGuard, siteMiddleware } from '../guards.js'
import type { ModelView } from '../../model_view.js'
import { viewGuard } from './view_guard.js'
import { readPlainBody } from '../read_body.js'

/**
 * Registers what is made on the page of a user: access tokens, whose list uses their view, and the link to choose a
 * password. [P10, U12]
 */
export function registerTokenRoutes(site: AdminSite): void {
  const view = site.models.get(AdminUser.name)
  if (!view?.may('update')) return
  const invite = controller(
    () => import('../../authentication/invitations/invite_controller.js'),
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
