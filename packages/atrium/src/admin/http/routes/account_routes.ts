import type { HttpContext } from '@adonisjs/core/http'
import { AccountController } from '../../account/account_controller.js'
import { NoticesController } from '../../account/notices_controller.js'
import { OwnSessionsController } from '../../account/own_sessions_controller.js'
import { OwnTokensController } from '../../account/own_tokens_controller.js'
import { PasswordController } from '../../account/password_controller.js'
import { SessionRestController } from '../../authentication/sessions/session_rest_controller.js'
import { ownerGuard } from '../../authentication/sign_in_as/acting_guard.js'
import type { AdminSite } from '../../admin_site.js'
import { KeysController } from '../../keyboard/keys_controller.js'
import { signInGuard, siteMiddleware } from '../guards.js'
import { readPlainBody } from '../read_body.js'
import { adminRoute } from './admin_route.js'

/**
 * Registers the pages that everybody has who is signed in: the own account, which is nobody else's, and the keys.
 * [U1, U14, L12]
 */
export function registerAccountRoutes(site: AdminSite): void {
  const account = new AccountController(site)
  const keys = new KeysController(site)
  const notices = new NoticesController(site)
  const password = new PasswordController(site)
  const sessions = new OwnSessionsController(site)
  const tokens = new OwnTokensController(site)
  const get = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'GET', path, name, handle)
  const post = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'POST', path, name, handle)
  const rest = new SessionRestController(site)
  site.router
    .group(() => {
      adminRoute(site, 'GET', '/account', 'account', (ctx) => account.show(ctx))
      adminRoute(site, 'POST', '/account/preferences', 'account.preferences', (ctx) =>
        account.prefer(ctx)
      )
      get('/account/tokens/:id/revoke', 'account.tokens.ask', (ctx) => tokens.ask(ctx))
      post('/account/tokens/:id/revoke', 'account.tokens.revoke', (ctx) => tokens.revoke(ctx))
      post('/account/tokens', 'account.tokens', (ctx) => tokens.issue(ctx))
      post('/account/sessions/end', 'account.sessions.end', (ctx) => sessions.end(ctx))
      post('/account/sessions/end-others', 'account.sessions.end_others', (ctx) =>
        sessions.endOthers(ctx)
      )
      post('/account/password', 'account.password', (ctx) => password.change(ctx))
      post('/account/notices', 'account.notices', (ctx) => notices.see(ctx))
    })
    .use([siteMiddleware, signInGuard, ownerGuard, readPlainBody])
  site.router
    .group(() => {
      adminRoute(site, 'GET', '/account/session', 'account.session', (ctx) => rest.show(ctx))
      adminRoute(site, 'GET', '/keys', 'keys', (ctx) => keys.show(ctx))
    })
    .use([siteMiddleware, signInGuard, readPlainBody])
}
