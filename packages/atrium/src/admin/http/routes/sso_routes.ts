import type { AdminSite } from '../../admin_site.js'
import { controller } from '../../room.js'
import { ownerGuard } from '../../authentication/sign_in_as/acting_guard.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { readPlainBody } from '../read_body.js'
import { adminRoute } from './admin_route.js'

/**
 * Registers the way to the OpenID Connect provider and back; without `sso` in `config/admin.ts` they are a 404.
 * [U15]
 */
export function registerSsoRoutes(site: AdminSite): void {
  const sso = controller(
    () => import('../../authentication/sso/sso_controller.js'),
    ({ SsoController }) => new SsoController(site)
  )
  const links = controller(
    () => import('../../authentication/sso/sso_unlink_controller.js'),
    ({ SsoUnlinkController }) => new SsoUnlinkController(site)
  )
  site.router
    .group(() => {
      adminRoute(
        site,
        'GET',
        '/login/sso',
        'login.sso',
        sso((page, ctx) => page.start(ctx))
      )
      adminRoute(
        site,
        'GET',
        '/login/sso/callback',
        'login.sso.callback',
        sso((page, ctx) => page.callback(ctx))
      )
    })
    .use([siteMiddleware])
  site.router
    .group(() =>
      adminRoute(
        site,
        'POST',
        '/account/sso/unlink',
        'account.sso.unlink',
        links((page, ctx) => page.unlink(ctx))
      )
    )
    .use([siteMiddleware, signInGuard, ownerGuard, readPlainBody])
}
