import type { AdminSite } from '../../admin_site.js'
import AdminUser from '../../models/admin_user.js'
import { TokenController } from '../../authentication/access_tokens/token_controller.js'
import { adminRoute } from './admin_route.js'
import { flash } from '../flash.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { viewGuard } from './view_guard.js'
import { readPlainBody } from '../read_body.js'

/**
 * Registers the route that issues access tokens; listing and deleting them uses their view. [P10]
 */
export function registerTokenRoutes(site: AdminSite): void {
  const view = site.models.get(AdminUser.name)
  if (!view?.may('update')) return
  const tokens = new TokenController(site, view)
  const path = `/${view.name}/issue_token${view.resource.key.pattern}`
  site.router
    .group(() => {
      adminRoute(site, 'POST', path, `${view.name}:issue_token`, (ctx) => tokens.issue(ctx))
    })
    .use([siteMiddleware, signInGuard, viewGuard(view), flash, readPlainBody])
}
