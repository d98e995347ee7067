import type { HttpContext } from '@adonisjs/core/http'
import type { AdminSite } from '../../admin_site.js'
import { controller } from '../../room.js'
import { ownerGuard } from '../../authentication/action_guards.js'
import AdminUser from '../../models/admin_user.js'
import { factorlessGuard, signInGuard, siteMiddleware } from '../guards.js'
import { readPlainBody } from '../read_body.js'
import { adminRoute, viewGuard } from './admin_route.js'

/**
 * Registers the second step of the login, the pages of second factors, and the page that asks to prove again who
 * one is. Setting up a factor is open to users who can do nothing else before. [U8, U10, U11]
 */
export function registerFactorRoutes(site: AdminSite): void {
  const second = controller(
    () => import('../../authentication/login/second_step_controller.js'),
    ({ SecondStepController }) => new SecondStepController(site)
  )
  const factors = controller(
    () => import('../../authentication/factors/factors_controller.js'),
    ({ FactorsController }) => new FactorsController(site)
  )
  const proof = controller(
    () => import('../../authentication/reauthentication/reauthentication_controller.js'),
    ({ ReauthenticationController }) => new ReauthenticationController(site)
  )
  const passkeys = controller(
    () => import('../../authentication/passkeys/passkeys_controller.js'),
    ({ PasskeysController }) => new PasskeysController(site)
  )
  const passkeyLogin = controller(
    () => import('../../authentication/passkeys/passkeys_controller.js'),
    ({ PasskeyLoginController }) => new PasskeyLoginController(site)
  )
  const login = controller(
    () => import('../../authentication/login/login_controller.js'),
    ({ LoginController }) => new LoginController(site)
  )
  const get = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'GET', path, name, handle)
  const post = (path: string, name: string, handle: (ctx: HttpContext) => unknown) =>
    adminRoute(site, 'POST', path, name, handle)

  site.router
    .group(() => {
      get(
        '/login/second',
        'login.second',
        second((page, ctx) => page.show(ctx))
      )
      post(
        '/login/second',
        'login.second.submit',
        second((page, ctx) => page.submit(ctx))
      )
      post(
        '/login/passkey/options',
        'login.passkey.options',
        passkeyLogin((page, ctx) => page.loginOptions(ctx))
      )
      post(
        '/login/second/options',
        'login.second.options',
        passkeyLogin((page, ctx) => page.secondStepOptions(ctx))
      )
    })
    .use([siteMiddleware, readPlainBody])
  site.router
    .group(() => {
      post(
        '/login/passkey',
        'login.passkey',
        passkeyLogin((page, ctx) => page.submit(ctx))
      )
    })
    .use([
      siteMiddleware,
      async (ctx, next) => await login((page) => page.admit(ctx, next))(ctx),
      readPlainBody,
    ])
  site.router
    .group(() => {
      get(
        '/reauthenticate',
        'reauthenticate',
        proof((page, ctx) => page.show(ctx))
      )
      post(
        '/reauthenticate',
        'reauthenticate.submit',
        proof((page, ctx) => page.submit(ctx))
      )
      post(
        '/reauthenticate/options',
        'reauthenticate.options',
        passkeyLogin((page, ctx) => page.proofOptions(ctx))
      )
      get(
        '/account/factors/passkeys',
        'factors.passkeys',
        passkeys((page, ctx) => page.show(ctx))
      )
      post(
        '/account/factors/passkeys',
        'factors.passkeys.enrol',
        passkeys((page, ctx) => page.enrol(ctx))
      )
      post(
        '/account/factors/passkeys/options',
        'factors.passkeys.options',
        passkeys((page, ctx) => page.options(ctx))
      )
      get(
        '/account/factors/totp',
        'factors.totp',
        factors((page, ctx) => page.setUp(ctx))
      )
      post(
        '/account/factors/totp',
        'factors.totp.enrol',
        factors((page, ctx) => page.enrol(ctx))
      )
    })
    .use([siteMiddleware, factorlessGuard, ownerGuard, readPlainBody])
  site.router
    .group(() => {
      const codes = '/account/factors/recovery-codes'
      get(
        codes,
        'factors.codes',
        factors((page, ctx) => page.askToRenew(ctx))
      )
      post(
        codes,
        'factors.codes.renew',
        factors((page, ctx) => page.renew(ctx))
      )
      const removal = '/account/factors/:id/remove'
      get(
        removal,
        'factors.removal',
        factors((page, ctx) => page.askToRemove(ctx))
      )
      post(
        removal,
        'factors.remove',
        factors((page, ctx) => page.remove(ctx))
      )
      const name = '/account/factors/:id/name'
      get(
        name,
        'factors.name',
        passkeys((page, ctx) => page.askName(ctx))
      )
      post(
        name,
        'factors.rename',
        passkeys((page, ctx) => page.rename(ctx))
      )
    })
    .use([siteMiddleware, signInGuard, ownerGuard, readPlainBody])
  registerReset(site)
}

/** On the page of a user, for superusers. */
function registerReset(site: AdminSite) {
  const view = site.models.get(AdminUser.name)
  if (!view?.may('update')) return
  const reset = controller(
    () => import('../../authentication/factors/factors_controller.js'),
    ({ ResetController }) => new ResetController(site, view)
  )
  const path = `/${view.name}/reset_factors${view.resource.key.pattern}`
  site.router
    .group(() => {
      adminRoute(
        site,
        'GET',
        path,
        `${view.name}:ask_reset_factors`,
        reset((page, ctx) => page.ask(ctx))
      )
      adminRoute(
        site,
        'POST',
        path,
        `${view.name}:reset_factors`,
        reset((page, ctx) => page.reset(ctx))
      )
    })
    .use([siteMiddleware, signInGuard, viewGuard(view), readPlainBody])
}

/**
 * Registers the way to the OpenID Connect provider and back; without `sso` in `config/admin.ts` they are a 404.
 * [U15]
 */
export function registerSsoRoutes(site: AdminSite): void {
  const sso = controller(
    () => import('../../authentication/sso/sso_controller.js'),
    ({ SsoController }) => new SsoController(site)
  )
  const links = controller(
    () => import('../../authentication/sso/sso_controller.js'),
    ({ SsoUnlinkController }) => new SsoUnlinkController(site)
  )
  site.router
    .group(() => {
      adminRoute(
        site,
        'GET',
        '/login/sso',
        'login.sso',
        sso((page, ctx) => page.start(ctx))
      )
      adminRoute(
        site,
        'GET',
        '/login/sso/callback',
        'login.sso.callback',
        sso((page, ctx) => page.callback(ctx))
      )
    })
    .use([siteMiddleware])
  site.router
    .group(() =>
      adminRoute(
        site,
        'POST',
        '/account/sso/unlink',
        'account.sso.unlink',
        links((page, ctx) => page.unlink(ctx))
      )
    )
    .use([siteMiddleware, signInGuard, ownerGuard, readPlainBody])
}
