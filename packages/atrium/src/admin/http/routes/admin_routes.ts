import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { AssetsController } from '../../assets/assets_controller.js'
import { DashboardController } from '../../dashboard/dashboard_controller.js'
import { InvitationController } from '../../authentication/invitations/invitation_controller.js'
import { LoginController } from '../../authentication/login/login_controller.js'
import { ThemeController } from '../../layout/theme_controller.js'
import { registerAccountRoutes } from './account_routes.js'
import { adminRoute } from './admin_route.js'
import { registerEventRoutes } from './event_routes.js'
import { registerJobRoutes } from './job_routes.js'
import { registerFactorRoutes } from './factor_routes.js'
import { factorlessGuard, signInGuard, siteMiddleware } from '../guards.js'
import { registerModelRoutes } from './model_routes.js'
import { readBody, readPlainBody } from '../read_body.js'
import { registerRoleRoutes } from './role_routes.js'
import { SearchController } from '../../search/search_controller.js'
import { registerSsoRoutes } from './sso_routes.js'
import { registerTokenRoutes } from './token_routes.js'

/* The router copies all previous routes for each new group next to them; nested in a group there
 * are fewer. */
const TOGETHER = 20

/**
 * Registers the routes of the site: first the public ones for login, then those for signed-in
 * users. [S21 to S25]
 */
export function registerAdminRoutes(site: AdminSite): void {
  const { router } = site
  const assets = new AssetsController(site)
  const login = new LoginController(site)
  const invitation = new InvitationController(site)
  const theme = new ThemeController(site)
  const dashboard = new DashboardController(site)
  const search = new SearchController(site)
  const get = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'GET', path, name, handle)
  const post = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'POST', path, name, handle)

  router
    .group(() => {
      get('/assets/:file', 'assets', (ctx) => assets.show(ctx))
      get('/login', 'login', (ctx) => login.show(ctx))
      post('/theme', 'theme', (ctx) => theme.update(ctx))
    })
    .use([siteMiddleware, readPlainBody])

  router
    .group(() => {
      get('/invitation/:token', 'invitation', (ctx) => invitation.show(ctx))
      post('/invitation/:token', 'invitation.submit', (ctx) => invitation.submit(ctx))
    })
    .use([siteMiddleware, readPlainBody])

  router
    .group(() => post('/login', 'login.submit', (ctx) => login.submit(ctx)))
    .use([siteMiddleware, (ctx, next) => login.admit(ctx, next), readPlainBody])

  router
    .group(() => get('/logout', 'logout', (ctx) => login.leave(ctx)))
    .use([siteMiddleware, factorlessGuard])

  router
    .group(() => {
      get('/', 'dashboard', (ctx) => dashboard.show(ctx))
      get('/dashboard-content', 'dashboard.content', (ctx) => dashboard.content(ctx))
      get('/search', 'search', (ctx) => search.show(ctx))
    })
    .use([siteMiddleware, signInGuard, readBody])

  registerAccountRoutes(site)
  registerFactorRoutes(site)
  registerSsoRoutes(site)
  registerEventRoutes(site)
  registerJobRoutes(site)
  const views = [...site.models.values()]
  for (let first = 0; first < views.length; first += TOGETHER) {
    const some = views.slice(first, first + TOGETHER)
    router.group(() => some.forEach((view) => registerModelRoutes(site, view)))
  }
  registerTokenRoutes(site)
  registerRoleRoutes(site)
}
