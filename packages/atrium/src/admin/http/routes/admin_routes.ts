import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { controller } from '../../room.js'
import { registerAccountRoutes } from './account_routes.js'
import { adminRoute } from './admin_route.js'
import { formerHistoryPath, registerEventRoutes } from './event_routes.js'
import { registerJobRoutes } from './job_routes.js'
import { registerFactorRoutes, registerSsoRoutes } from './factor_routes.js'
import { factorlessGuard, signInGuard, siteMiddleware } from '../guards.js'
import { registerModelRoutes } from './model_routes.js'
import { readBody, readPlainBody } from '../read_body.js'
import { registerRoleRoutes, registerTokenRoutes } from './token_routes.js'

/**
 * Registers the routes of the site: first the public ones for login, then those for signed-in
 * users. [S21 to S25]
 */
export function registerAdminRoutes(site: AdminSite): void {
  const { router } = site
  const assets = controller(
    () => import('../../layout/site_controllers.js'),
    ({ AssetsController }) => new AssetsController(site)
  )
  const login = controller(
    () => import('../../authentication/login/login_controller.js'),
    ({ LoginController }) => new LoginController(site)
  )
  const invitation = controller(
    () => import('../../authentication/invitations/invitation_controller.js'),
    ({ InvitationController }) => new InvitationController(site)
  )
  const theme = controller(
    () => import('../../layout/site_controllers.js'),
    ({ ThemeController }) => new ThemeController(site)
  )
  const dashboard = controller(
    () => import('../../dashboard/dashboard_controller.js'),
    ({ DashboardController }) => new DashboardController(site)
  )
  const search = controller(
    () => import('../../search/site_search.js'),
    ({ SearchController }) => new SearchController(site)
  )
  const get = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'GET', path, name, handle)
  const post = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'POST', path, name, handle)

  router
    .group(() => {
      get(
        '/assets/:file',
        'assets',
        assets((page, ctx) => page.show(ctx))
      )
      get(
        '/login',
        'login',
        login((page, ctx) => page.show(ctx))
      )
      post(
        '/theme',
        'theme',
        theme((page, ctx) => page.update(ctx))
      )
    })
    .use([siteMiddleware, readPlainBody])

  router
    .group(() => {
      get(
        '/invitation/:token',
        'invitation',
        invitation((page, ctx) => page.show(ctx))
      )
      post(
        '/invitation/:token',
        'invitation.submit',
        invitation((page, ctx) => page.submit(ctx))
      )
    })
    .use([siteMiddleware, readPlainBody])

  router
    .group(() =>
      post(
        '/login',
        'login.submit',
        login((page, ctx) => page.submit(ctx))
      )
    )
    .use([
      siteMiddleware,
      async (ctx, next) => await login((page) => page.admit(ctx, next))(ctx),
      readPlainBody,
    ])

  router
    .group(() =>
      get(
        '/logout',
        'logout',
        login((page, ctx) => page.leave(ctx))
      )
    )
    .use([siteMiddleware, factorlessGuard])

  router
    .group(() => {
      get(
        '/',
        'dashboard',
        dashboard((page, ctx) => page.show(ctx))
      )
      get(
        '/dashboard-content',
        'dashboard.content',
        dashboard((page, ctx) => page.content(ctx))
      )
      get(
        '/search',
        'search',
        search((page, ctx) => page.show(ctx))
      )
    })
    .use([siteMiddleware, signInGuard, readBody])

  registerAccountRoutes(site)
  registerFactorRoutes(site)
  registerSsoRoutes(site)
  registerEventRoutes(site)
  registerJobRoutes(site)
  for (const view of site.models.values()) {
    router.later([site.url(`/${view.name}`), site.url(formerHistoryPath(view))], () =>
      registerModelRoutes(site, view)
    )
  }
  registerTokenRoutes(site)
  registerRoleRoutes(site)
}
