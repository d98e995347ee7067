import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { FactorsController } from '../../authentication/factors/factors_controller.js'
import { ResetController } from '../../authentication/factors/reset_controller.js'
import { PasskeyLoginController } from '../../authentication/passkeys/passkey_login_controller.js'
import { PasskeysController } from '../../authentication/passkeys/passkeys_controller.js'
import { LoginController } from '../../authentication/login/login_controller.js'
import { SecondStepController } from '../../authentication/login/second_step_controller.js'
import { ReauthenticationController } from '../../authentication/reauthentication/reauthentication_controller.js'
import { ownerGuard } from '../../authentication/sign_in_as/acting_guard.js'
import AdminUser from '../../models/admin_user.js'
import { factorlessGuard, signInGuard, siteMiddleware } from '../guards.js'
import { readPlainBody } from '../read_body.js'
import { adminRoute } from './admin_route.js'
import { viewGuard } from './view_guard.js'

/**
 * Registers the second step of the login, the pages of second factors, and the page that asks to prove again who
 * one is. Setting up a factor is open to users who can do nothing else before. [U8, U10, U11]
 */
export function registerFactorRoutes(site: AdminSite): void {
  const second = new SecondStepController(site)
  const factors = new FactorsController(site)
  const proof = new ReauthenticationController(site)
  const passkeys = new PasskeysController(site)
  const passkeyLogin = new PasskeyLoginController(site)
  const login = new LoginController(site)
  const get = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'GET', path, name, handle)
  const post = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'POST', path, name, handle)

  site.router
    .group(() => {
      get('/login/second', 'login.second', (ctx) => second.show(ctx))
      post('/login/second', 'login.second.submit', (ctx) => second.submit(ctx))
      post('/login/passkey/options', 'login.passkey.options', (ctx) =>
        passkeyLogin.loginOptions(ctx)
      )
      post('/login/second/options', 'login.second.options', (ctx) =>
        passkeyLogin.secondStepOptions(ctx)
      )
    })
    .use([siteMiddleware, readPlainBody])
  site.router
    .group(() => {
      post('/login/passkey', 'login.passkey', (ctx) => passkeyLogin.submit(ctx))
    })
    .use([siteMiddleware, (ctx, next) => login.admit(ctx, next), readPlainBody])
  site.router
    .group(() => {
      get('/reauthenticate', 'reauthenticate', (ctx) => proof.show(ctx))
      post('/reauthenticate', 'reauthenticate.submit', (ctx) => proof.submit(ctx))
      post('/reauthenticate/options', 'reauthenticate.options', (ctx) =>
        passkeyLogin.proofOptions(ctx)
      )
      get('/account/factors/passkeys', 'factors.passkeys', (ctx) => passkeys.show(ctx))
      post('/account/factors/passkeys', 'factors.passkeys.enrol', (ctx) => passkeys.enrol(ctx))
      post('/account/factors/passkeys/options', 'factors.passkeys.options', (ctx) =>
        passkeys.options(ctx)
      )
      get('/account/factors/totp', 'factors.totp', (ctx) => factors.setUp(ctx))
      post('/account/factors/totp', 'factors.totp.enrol', (ctx) => factors.enrol(ctx))
    })
    .use([siteMiddleware, factorlessGuard, ownerGuard, readPlainBody])
  site.router
    .group(() => {
      const codes = '/account/factors/recovery-codes'
      get(codes, 'factors.codes', (ctx) => factors.askToRenew(ctx))
      post(codes, 'factors.codes.renew', (ctx) => factors.renew(ctx))
      const removal = '/account/factors/:id/remove'
      get(removal, 'factors.removal', (ctx) => factors.askToRemove(ctx))
      post(removal, 'factors.remove', (ctx) => factors.remove(ctx))
      const name = '/account/factors/:id/name'
      get(name, 'factors.name', (ctx) => passkeys.askName(ctx))
      post(name, 'factors.rename', (ctx) => passkeys.rename(ctx))
    })
    .use([siteMiddleware, signInGuard, ownerGuard, readPlainBody])
  registerReset(site)
}

/** On the page of a user, for superusers. */
function registerReset(site: AdminSite) {
  const view = site.models.get(AdminUser.name)
  if (!view?.may('update')) return
  const reset = new ResetController(site, view)
  const path = `/${view.name}/reset_factors${view.resource.key.pattern}`
  site.router
    .group(() => {
      adminRoute(site, 'GET', path, `${view.name}:ask_reset_factors`, (ctx) => reset.ask(ctx))
      adminRoute(site, 'POST', path, `${view.name}:reset_factors`, (ctx) => reset.reset(ctx))
    })
    .use([siteMiddleware, signInGuard, viewGuard(view), readPlainBody])
}
