import type { AdminSite } from '../../admin_site.js'
import AdminUser from '../../models/admin_user.js'
import { TokenController } from '../../authentication/access_tokens/token_controller.js'
import { adminRoute } from './admin_route.js'
import { flash } from '../flash.js'
import { innerGate, outerGate } from '../guards.js'
import { viewGate } from './model_routes.js'
import { readPlainBody } from '../read_body.js'

/**
 * Registers where access tokens are issued; to be seen, and deleted, they have a view of their own. [P10]
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
    .use([outerGate, innerGate, viewGate(view), flash, readPlainBody])
}
