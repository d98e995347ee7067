import { ownerGuard } from '../authentication/action_guards.js'
import { signInGuard } from '../http/guards.js'
import { readPlainBody } from '../http/read_body.js'
import { controller } from '../http/lazy_part.js'
import { siteRoutes, type RoutedSite } from '../http/site_routes.js'
import type { AccountSite } from './account_page.js'
import type { PasswordSite } from '../authentication/passwords/replace_password.js'
import type { WithCookies } from '../authentication/login/first_step.js'
import type { WithUsers } from '../authentication/admin_user_service.js'

/** Registers the routes of the account page, which every signed-in user can open. */
export function accountRoutes(
  site: AccountSite & PasswordSite & WithUsers & WithCookies & RoutedSite
): void {
  const account = controller(
    () => import('./account_controller.js'),
    ({ AccountController }) => new AccountController(site)
  )
  const notices = controller(
    () => import('./account_controller.js'),
    ({ NoticesController }) => new NoticesController(site)
  )
  const password = controller(
    () => import('./account_controller.js'),
    ({ PasswordController }) => new PasswordController(site)
  )
  const sessions = controller(
    () => import('./account_controller.js'),
    ({ OwnSessionsController }) => new OwnSessionsController(site)
  )
  const rest = controller(
    () => import('./account_controller.js'),
    ({ SessionRestController }) => new SessionRestController(site.adminAuthentication)
  )
  const tokens = controller(
    () => import('../authentication/access_tokens/token_controller.js'),
    ({ OwnTokensController }) => new OwnTokensController(site)
  )
  siteRoutes(site, [signInGuard, ownerGuard, readPlainBody], ({ get, post }) => {
    get('/account', 'account', account('show'))
    post('/account/preferences', 'account.preferences', account('prefer'))
    get('/account/tokens/:id/revoke', 'account.tokens.ask', tokens('ask'))
    post('/account/tokens/:id/revoke', 'account.tokens.revoke', tokens('revoke'))
    post('/account/tokens', 'account.tokens', tokens('issue'))
    post('/account/sessions/end', 'account.sessions.end', sessions('end'))
    post('/account/sessions/end-others', 'account.sessions.end_others', sessions('endOthers'))
    post('/account/password', 'account.password', password('change'))
    post('/account/notices', 'account.notices', notices('see'))
  })
  siteRoutes(site, [signInGuard, readPlainBody], ({ get }) => {
    get('/account/session', 'account.session', rest('show'))
  })
}
