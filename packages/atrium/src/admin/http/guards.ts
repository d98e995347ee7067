import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { isForgery } from '#base/http/cross_site'
import { NetworkList } from '#base/http/network'
import { listsClient } from '#base/http/served_hosts'
import { noteRefusal } from '#base/http/send_problem'
import { refuseWhileViewing } from '../permissions/view_as_guard.js'
import { CrossSiteRequest, NetworkNotAllowed } from './errors.js'
import { FactorRequired, SignInRequired } from '../identity/errors.js'
import { guardOf } from '../identity/admin_guard.js'
import { compressResponse, setSecurityHeaders } from './compress.js'

/** Middleware of every route of the site, including the login. */
export async function siteMiddleware(ctx: HttpContext, next: NextFn): Promise<void> {
  setSecurityHeaders(ctx)
  refuseOutsiders(ctx)
  await next()
  noteRefusal(ctx, { status: ctx.response.getStatus() })
  await compressResponse(ctx)
}

const LISTS = new WeakMap<readonly string[], NetworkList>()

/**
 * Refuses clients of networks other than `allowedNetworks` of `config/admin.ts`, and writes of other sites. Behind a
 * trusted proxy, the address is that of the proxy's client.
 *
 * @throws NetworkNotAllowed
 * @throws CrossSiteRequest  if a page of another site sent a request that changes data
 */
export function refuseOutsiders(ctx: HttpContext): void {
  const networks = app.config.get<readonly string[] | undefined>('admin.allowedNetworks')
  if (networks) {
    let list = LISTS.get(networks)
    if (!list) LISTS.set(networks, (list = new NetworkList(networks)))
    if (!listsClient(list, ctx)) throw new NetworkNotAllowed()
  }
  if (isForgery(ctx)) throw new CrossSiteRequest()
}

/**
 * Guard of the routes that require a signed-in user. A guard is attached to routes and not to paths, so that
 * alternative spellings of a path cannot bypass it.
 */
export async function signInGuard(ctx: HttpContext, next: NextFn): Promise<void> {
  await requireSignIn(ctx)
  refuseWhileViewing(ctx)
  await next()
}

/**
 * Guard of the forms that end viewing the site as a role or being signed in as another user. Other forms are rejected
 * while a role is viewed.
 */
export async function signedInGuard(ctx: HttpContext, next: NextFn): Promise<void> {
  await requireSignIn(ctx)
  await next()
}

/**
 * Guard of the routes for a user who has to set up a second factor first: the pages for setting it up, and logging out.
 */
export async function factorlessGuard(ctx: HttpContext, next: NextFn): Promise<void> {
  if (!(await guardOf(ctx).checkWithoutFactor())) await requireSignIn(ctx)
  refuseWhileViewing(ctx)
  await next()
}

/**
 * Requires a signed-in user.
 *
 * @throws SignInRequired  without a login, or if the session has ended
 * @throws FactorRequired  for a user who has to set up a second factor first
 */
export async function requireSignIn(ctx: HttpContext): Promise<void> {
  const guard = guardOf(ctx)
  if (await guard.check()) return
  if (guard.lackingFactor) throw new FactorRequired()
  const hadSession = ctx.request.plainCookie('session_id', { encoded: false })
  throw new SignInRequired(hadSession ? 'ended' : 'required')
}
