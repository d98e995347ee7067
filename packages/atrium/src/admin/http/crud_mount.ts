import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { Problem } from '#crud'
import { respondNotFound, requestSubject } from '#crud/internals'
import { sendProblem, toProblem } from '#base/http/send_problem'
import { withheldEndpoint } from '#base/http/problems'
import type { WithRouter } from './site_routes.js'
import type { ModelView } from '../views/model_view.js'
import { isGuarded, isRecentlyProved } from '../identity/proof.js'
import { FactorRequired, SignInRequired } from '../identity/errors.js'
import { NotAllowed } from './errors.js'
import { refuseWhileViewing } from '../permissions/view_as_guard.js'
import { refuseOutsiders, requireSignIn, siteMiddleware } from './guards.js'
import { guardOf } from '../identity/admin_guard.js'
import type { Site } from '../views/site.js'

/** A site whose logins can be removed from a browser */
export interface WithSessionCookies {
  readonly adminAuthentication: { clearCookies(ctx: HttpContext): void }
}

/**
 * Registers the endpoints of one model below `/crud` of the model. The guards apply to all routes that an
 * `EndpointCreator` registers, including custom ones.
 */
export function registerCrudMount(
  site: Site & WithSessionCookies & WithRouter,
  view: ModelView
): void {
  site.router.group(() => view.endpoints.register()).use([siteMiddleware, crudGuard(site, view)])
}

/**
 * Requires a signed-in user, and a superuser for the admin site's models. Errors are always sent as problem details,
 * whatever the client accepts.
 */
function crudGuard(site: Site & WithSessionCookies, view: ModelView) {
  return async (ctx: HttpContext, next: NextFn) => {
    requestSubject.set(ctx, view.resource)
    await requireProgram(site, ctx)
    refuseWhileViewing(ctx)
    if (!view.admits(ctx)) throw new NotAllowed()
    const own = await view.for(ctx)
    if (own.isWithheld) throw withheldEndpoint()
    if (!isProvedFor(ctx, view)) throw proofProblem(site)
    await next()
  }
}

/** Returns whether the request is allowed without a reauthentication. Reads never need one. */
function isProvedFor(ctx: HttpContext, { model }: ModelView): boolean {
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(ctx.request.method())
  return isRead || !isGuarded(model) || isRecentlyProved(guardOf(ctx).signedInOrFail().session)
}

/**
 * Returns true if the path is below the `/crud` of any model name: without a login, existing models must not differ
 * from missing ones.
 *
 * @param path  full path of the request, including the mount path
 */
export function isCrudPath(site: Site, path: string): boolean {
  return /^\/[^/]+\/crud(\/|$)/.test(path.slice(site.mountPath.length))
}

/** Responds to an unknown path or method below `/crud`, after the login is checked. */
export async function respondWithMissingEndpoint(
  site: Site & WithSessionCookies,
  ctx: HttpContext
): Promise<void> {
  try {
    refuseOutsiders(ctx)
    await requireProgram(site, ctx)
    const own = await modelAt(site, ctx)?.for(ctx)
    if (own?.isWithheld) throw withheldEndpoint()
  } catch (error) {
    const problem = toProblem(error)
    if (problem.status >= 500) ctx.logger.error({ err: error }, problem.message)
    return sendProblem(ctx, problem)
  }
  respondNotFound(ctx)
}

function modelAt(site: Site, { request }: HttpContext): ModelView | undefined {
  const [, name] = (request.parsedUrl.pathname ?? '').slice(site.mountPath.length).split('/')
  return site.models.get(name)
}

/**
 * Requires a signed-in user.
 *
 * @throws Problem 401  without a login
 * @throws Problem 403  for a user who has to set up a second factor first
 */
async function requireProgram(site: Site & WithSessionCookies, ctx: HttpContext): Promise<void> {
  try {
    await requireSignIn(ctx)
  } catch (error) {
    if (error instanceof FactorRequired) throw factorProblem(site)
    if (!(error instanceof SignInRequired)) throw error
    site.adminAuthentication.clearCookies(ctx)
    throw new Problem(401, site.text('errors.401.text'), { refusal: error.refusal })
  }
}

/** Returns the response for an API client whose user has to set up a second factor first. */
export function factorProblem(site: Pick<Site, 'text' | 'url'>): Problem {
  const message = site.text('factors.required', { path: site.url('/account/factors/totp') })
  return new Problem(403, message, {
    refusal: 'factor_required',
    errors: [{ field: 'account', rule: 'second_factor_missing', message }],
  })
}

/**
 * Returns the response for an API client whose user has to authenticate again.
 *
 * @param page  page that a script of the site redirects the user to
 */
export function proofProblem(site: Pick<Site, 'text' | 'url'>, page?: string): Problem {
  const message = site.text('reauthentication.program', { path: site.url('/reauthenticate') })
  return new Problem(403, message, {
    refusal: 'proof_required',
    errors: [{ field: 'password', rule: 'reauthentication_required', message }],
    headers: page === undefined ? {} : { 'hx-redirect': page },
  })
}
