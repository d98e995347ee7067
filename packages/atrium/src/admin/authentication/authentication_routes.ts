import type { MiddlewareFn } from '@adonisjs/core/types/http'
import { factorlessGuard, signedInGuard, signInGuard } from '../http/guards.js'
import { readPlainBody } from '../http/read_body.js'
import { controller, lazyPart } from '../http/lazy_part.js'
import { siteRoutes, viewGuard, type RoutedSite } from '../http/site_routes.js'
import type { ModelView } from '../views/model_view.js'
import AdminUser from '../models/admin_user.js'
import { ownerGuard } from './action_guards.js'
import type { FormSite } from '../forms/form_page.js'
import type { PasswordSite } from './passwords/replace_password.js'
import type { WithAccessTokens } from './access_tokens/access_tokens.js'
import type { WithAuthentication } from './admin_authentication.js'
import type { WithCookies } from './login/first_step.js'
import type { WithSso } from './sso/sso.js'
import type { WithUsers } from './admin_user_service.js'

/** The parts of the site that logins, factors, invitations and tokens need */
type AuthenticationSite = FormSite &
  PasswordSite &
  WithAccessTokens &
  WithAuthentication &
  WithUsers &
  WithCookies &
  WithSso &
  RoutedSite

/**
 * Registers the routes of login, factors, reauthentication, and the actions of superusers on the page of a user.
 */
export function authenticationRoutes(site: AuthenticationSite): void {
  loginRoutes(site)
  ssoRoutes(site)
  factorRoutes(site)
  const users = site.models.get(AdminUser.name)
  if (users?.may('update')) userRoutes(site, users)
}

function loginRoutes(site: AuthenticationSite): void {
  const logins = lazyPart(
    () => import('./login/login_controller.js'),
    ({ LoginController }) => new LoginController(site)
  )
  const login = controller(logins, (page) => page)
  const second = controller(
    () => import('./login/second_step_controller.js'),
    ({ SecondStepController }) => new SecondStepController(site)
  )
  const passkey = controller(
    () => import('./passkeys/passkeys_controller.js'),
    ({ PasskeyLoginController }) => new PasskeyLoginController(site)
  )
  const invitation = controller(
    () => import('./invitations/invitation_controller.js'),
    ({ InvitationController }) => new InvitationController(site)
  )
  const admit: MiddlewareFn = async (ctx, next) => {
    const page = await logins()
    await page.admit(ctx, next)
  }

  siteRoutes(site, [readPlainBody], ({ get, post }) => {
    get('/login', 'login', login('show'))
    get('/invitation/:token', 'invitation', invitation('show'))
    post('/invitation/:token', 'invitation.submit', invitation('submit'))
    get('/login/second', 'login.second', second('show'))
    post('/login/second', 'login.second.submit', second('submit'))
    post('/login/passkey/options', 'login.passkey.options', passkey('loginOptions'))
    post('/login/second/options', 'login.second.options', passkey('secondStepOptions'))
  })
  siteRoutes(site, [admit, readPlainBody], ({ post }) => {
    post('/login', 'login.submit', login('submit'))
    post('/login/passkey', 'login.passkey', passkey('submit'))
  })
  siteRoutes(site, [factorlessGuard], ({ get }) => get('/logout', 'logout', login('leave')))
}

/**
 * Registers the redirect to the OpenID Connect provider and the callback. Without `sso` in `config/admin.ts` they
 * return 404.
 */
function ssoRoutes(site: AuthenticationSite): void {
  const sso = controller(
    () => import('./sso/sso_controller.js'),
    ({ SsoController }) => new SsoController(site)
  )
  const links = controller(
    () => import('./sso/sso_controller.js'),
    ({ SsoUnlinkController }) => new SsoUnlinkController(site)
  )
  siteRoutes(site, [], ({ get }) => {
    get('/login/sso', 'login.sso', sso('start'))
    get('/login/sso/callback', 'login.sso.callback', sso('callback'))
  })
  siteRoutes(site, [signInGuard, ownerGuard, readPlainBody], ({ post }) => {
    post('/account/sso/unlink', 'account.sso.unlink', links('unlink'))
  })
}

/**
 * Adds the routes of second factors and of the reauthentication. Users who must enrol a factor first can also use those
 * that set one up.
 */
function factorRoutes(site: AuthenticationSite): void {
  const factors = controller(
    () => import('./factors/factors_controller.js'),
    ({ FactorsController }) => new FactorsController(site)
  )
  const proof = controller(
    () => import('./reauthentication/reauthentication_controller.js'),
    ({ ReauthenticationController }) => new ReauthenticationController(site)
  )
  const passkeys = controller(
    () => import('./passkeys/passkeys_controller.js'),
    ({ PasskeysController }) => new PasskeysController(site)
  )
  const passkeyProof = controller(
    () => import('./passkeys/passkeys_controller.js'),
    ({ PasskeyLoginController }) => new PasskeyLoginController(site)
  )
  const enrolment = '/account/factors'
  siteRoutes(site, [factorlessGuard, ownerGuard, readPlainBody], ({ get, post }) => {
    get('/reauthenticate', 'reauthenticate', proof('show'))
    post('/reauthenticate', 'reauthenticate.submit', proof('submit'))
    post('/reauthenticate/options', 'reauthenticate.options', passkeyProof('proofOptions'))
    get(`${enrolment}/passkeys`, 'factors.passkeys', passkeys('show'))
    post(`${enrolment}/passkeys`, 'factors.passkeys.enrol', passkeys('enrol'))
    post(`${enrolment}/passkeys/options`, 'factors.passkeys.options', passkeys('options'))
    get(`${enrolment}/totp`, 'factors.totp', factors('setUp'))
    post(`${enrolment}/totp`, 'factors.totp.enrol', factors('enrol'))
  })
  siteRoutes(site, [signInGuard, ownerGuard, readPlainBody], ({ get, post }) => {
    get(`${enrolment}/recovery-codes`, 'factors.codes', factors('askToRenew'))
    post(`${enrolment}/recovery-codes`, 'factors.codes.renew', factors('renew'))
    get(`${enrolment}/:id/remove`, 'factors.removal', factors('askToRemove'))
    post(`${enrolment}/:id/remove`, 'factors.remove', factors('remove'))
    get(`${enrolment}/:id/name`, 'factors.name', passkeys('askName'))
    post(`${enrolment}/:id/name`, 'factors.rename', passkeys('rename'))
  })
}

/**
 * Adds the actions of superusers on a user's page. `/sign-in-as/stop`, which returns to one's own account, needs no
 * permission.
 */
function userRoutes(site: AuthenticationSite, users: ModelView): void {
  const reset = controller(
    () => import('./factors/factors_controller.js'),
    ({ ResetController }) => new ResetController(site, users)
  )
  const invite = controller(
    () => import('./invitations/invitation_controller.js'),
    ({ InviteController }) => new InviteController(site, users)
  )
  const tokens = controller(
    () => import('./access_tokens/token_controller.js'),
    ({ TokenController }) => new TokenController(site, users)
  )
  const signInAs = controller(
    () => import('./sign_in_as/sign_in_as_controller.js'),
    ({ SignInAsController }) => new SignInAsController(site, users)
  )
  const { name } = users
  const path = (task: string) => `/${name}/${task}${users.resource.key.pattern}`
  siteRoutes(site, [signInGuard, viewGuard(users), readPlainBody], ({ get, post }) => {
    get(path('reset_factors'), `${name}:ask_reset_factors`, reset('ask'))
    post(path('reset_factors'), `${name}:reset_factors`, reset('reset'))
    post(path('issue_token'), `${name}:issue_token`, tokens('issue'))
    post(path('invite'), `${name}:invite`, invite('make'))
    post(path('sign_in_as'), `${name}:sign_in_as`, signInAs('start'))
  })
  siteRoutes(site, [signedInGuard, readPlainBody], ({ post }) => {
    post('/sign-in-as/stop', 'sign_in_as.stop', signInAs('stop'))
  })
}
