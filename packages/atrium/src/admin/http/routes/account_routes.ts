import type { HttpContext } from '@adonisjs/core/http'
import { ownerGuard } from '../../authentication/action_guards.js'
import type { AdminSite } from '../../admin_site.js'
import { controller } from '../../room.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { readPlainBody } from '../read_body.js'
import { adminRoute } from './admin_route.js'

/**
 * Registers the pages of every signed-in user: their account and the keys.
 * [U1, U14, L12]
 */
export function registerAccountRoutes(site: AdminSite): void {
  const account = controller(
    () => import('../../account/account_controller.js'),
    ({ AccountController }) => new AccountController(site)
  )
  const keys = controller(
    () => import('../../layout/site_controllers.js'),
    ({ KeysController }) => new KeysController(site)
  )
  const notices = controller(
    () => import('../../account/account_controller.js'),
    ({ NoticesController }) => new NoticesController(site)
  )
  const password = controller(
    () => import('../../account/account_controller.js'),
    ({ PasswordController }) => new PasswordController(site)
  )
  const sessions = controller(
    () => import('../../account/own_sessions_controller.js'),
    ({ OwnSessionsController }) => new OwnSessionsController(site)
  )
  const tokens = controller(
    () => import('../../authentication/access_tokens/token_controller.js'),
    ({ OwnTokensController }) => new OwnTokensController(site)
  )
  const get = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'GET', path, name, handle)
  const post = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'POST', path, name, handle)
  const rest = controller(
    () => import('../../account/own_sessions_controller.js'),
    ({ SessionRestController }) => new SessionRestController(site)
  )
  site.router
    .group(() => {
      adminRoute(
        site,
        'GET',
        '/account',
        'account',
        account((page, ctx) => page.show(ctx))
      )
      adminRoute(
        site,
        'POST',
        '/account/preferences',
        'account.preferences',
        account((page, ctx) => page.prefer(ctx))
      )
      get(
        '/account/tokens/:id/revoke',
        'account.tokens.ask',
        tokens((page, ctx) => page.ask(ctx))
      )
      post(
        '/account/tokens/:id/revoke',
        'account.tokens.revoke',
        tokens((page, ctx) => page.revoke(ctx))
      )
      post(
        '/account/tokens',
        'account.tokens',
        tokens((page, ctx) => page.issue(ctx))
      )
      post(
        '/account/sessions/end',
        'account.sessions.end',
        sessions((page, ctx) => page.end(ctx))
      )
      post(
        '/account/sessions/end-others',
        'account.sessions.end_others',
        sessions((page, ctx) => page.endOthers(ctx))
      )
      post(
        '/account/password',
        'account.password',
        password((page, ctx) => page.change(ctx))
      )
      post(
        '/account/notices',
        'account.notices',
        notices((page, ctx) => page.see(ctx))
      )
    })
    .use([siteMiddleware, signInGuard, ownerGuard, readPlainBody])
  site.router
    .group(() => {
      adminRoute(
        site,
        'GET',
        '/account/session',
        'account.session',
        rest((page, ctx) => page.show(ctx))
      )
      adminRoute(
        site,
        'GET',
        '/keys',
        'keys',
        keys((page, ctx) => page.show(ctx))
      )
    })
    .use([siteMiddleware, signInGuard, readPlainBody])
}
