import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../admin_site.js'
import { markBodyReader } from '#crud/http/generated_routes'
import { AssetsController } from '../assets/assets_controller.js'
import { DashboardController } from '../dashboard/dashboard_controller.js'
import { LoginController } from '../login/login_controller.js'
import { ThemeController } from '../frame/theme_controller.js'
import { innerGate, outerGate } from './gate.js'
import { readBody, readPlainBody } from './read_body.js'

const ADMIN_ROUTES = new WeakSet<object>()

/**
 * Registers the routes of the site: first the door, which everybody reaches, then all that only
 * signed-in users do. [S21 to S25]
 */
export function registerAdminRoutes(site: AdminSite): void {
  const { router } = site
  const assets = new AssetsController(site)
  const login = new LoginController(site)
  const theme = new ThemeController(site)
  const dashboard = new DashboardController(site)

  const route = (
    method: 'get' | 'post',
    path: string,
    name: string,
    handle: (ctx: HttpContext) => unknown
  ) => {
    const handler = (ctx: HttpContext) => handle(ctx)
    ADMIN_ROUTES.add(handler)
    markBodyReader(handler)
    return router[method](site.url(path), handler).as(`admin.${name}`)
  }

  router
    .group(() => {
      route('get', '/assets/:file', 'assets', (ctx) => assets.show(ctx))
      route('get', '/login', 'login', (ctx) => login.show(ctx))
      route('post', '/login', 'login.submit', (ctx) => login.submit(ctx))
      route('post', '/theme', 'theme', (ctx) => theme.update(ctx))
    })
    .use([outerGate, readPlainBody])

  router
    .group(() => {
      route('get', '/logout', 'logout', (ctx) => login.leave(ctx))
      route('get', '/', 'dashboard', (ctx) => dashboard.show(ctx))
      route('get', '/dashboard-content', 'dashboard.content', (ctx) => dashboard.content(ctx))
    })
    .use([outerGate, innerGate, readBody])
}

/**
 * Whether the request reached one of the site's routes.
 */
export function isAdminRoute(ctx: HttpContext): boolean {
  return typeof ctx.route?.handler === 'function' && ADMIN_ROUTES.has(ctx.route.handler)
}
