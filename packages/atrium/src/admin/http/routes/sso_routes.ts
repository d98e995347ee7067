import type { AdminSite } from '../../admin_site.js'
import { SsoController } from '../../authentication/sso/sso_controller.js'
import { SsoUnlinkController } from '../../authentication/sso/sso_unlink_controller.js'
import { ownerGuard } from '../../authentication/sign_in_as/acting_guard.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { readPlainBody } from '../read_body.js'
import { adminRoute } from './admin_route.js'

/**
 * Registers the way to the OpenID Connect provider and back; without `sso` in `config/admin.ts` they are a 404.
 * [U15]
 */
export function registerSsoRoutes(site: AdminSite): void {
  const sso = new SsoController(site)
  const links = new SsoUnlinkController(site)
  site.router
    .group(() => {
      adminRoute(site, 'GET', '/login/sso', 'login.sso', (ctx) => sso.start(ctx))
      adminRoute(site, 'GET', '/login/sso/callback', 'login.sso.callback', (ctx) =>
        sso.callback(ctx)
      )
    })
    .use([siteMiddleware])
  site.router
    .group(() =>
      adminRoute(site, 'POST', '/account/sso/unlink', 'account.sso.unlink', (ctx) =>
        links.unlink(ctx)
      )
    )
    .use([siteMiddleware, signInGuard, ownerGuard, readPlainBody])
}
