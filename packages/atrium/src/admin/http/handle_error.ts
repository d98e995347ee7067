import type { HttpContext } from '@adonisjs/core/http'
import type { Site } from '../views/site.js'
import { Problem } from '#crud'
import { suppressRefusal, noteRefusal, sendProblem } from '#base/http/send_problem'
import { unavailability } from '#base/database/unavailable'
import { unavailable } from '#base/http/problems'
import { DRAFT_IN_BROWSER } from '../forms/drafts/drafts.js'
import { keepsInBrowser, keepUnsent, type DraftSite } from '../forms/drafts/save_draft.js'
import { formWithListQuery, referringPage } from './list_query.js'
import { isAdminRoute } from './site_routes.js'
import { isBelowMount, returnPath } from './site_paths.js'
import { compressResponse, setSecurityHeaders } from './compress.js'
import {
  respondWithMissingEndpoint,
  isCrudPath,
  factorProblem,
  proofProblem,
  type WithSessionCookies,
} from './crud_mount.js'
import { refuseOutsiders, requireSignIn } from './guards.js'
import { pageAddress } from './page_address.js'
import { wantsJson } from './read_body.js'
import { FactorRequired, ReauthenticationRequired, SignInRequired } from '../identity/errors.js'
import { PageNotFound } from './errors.js'
import { PageError } from '../text/errors.js'
import { guardOf } from '../identity/admin_guard.js'
import { redirectPage } from './redirect.js'

/**
 * Handles an error of the site, or of an unknown path below the mount path. The application's exception handler has to
 * call it.
 *
 * @returns true if a response was sent
 */
export async function handleAdminError(
  site: DraftSite & WithSessionCookies,
  error: unknown,
  ctx: HttpContext
): Promise<boolean> {
  const isMissing = (error as { code?: string }).code === 'E_ROUTE_NOT_FOUND'
  const path = ctx.request.parsedUrl.pathname ?? '/'
  if (!isAdminRoute(ctx) && !(isMissing && isBelowMount(site, path))) return false

  setSecurityHeaders(ctx)
  if (isMissing && isCrudPath(site, path)) {
    await respondWithMissingEndpoint(site, ctx)
    return true
  }
  let responded = error
  if (isMissing) {
    /* Without a login, a missing page must not differ from an existing one. */
    try {
      refuseOutsiders(ctx)
      await requireSignIn(ctx)
      responded = new PageNotFound()
    } catch (refusal) {
      responded = refusal
    }
  }
  if (isRoutineQuestion(responded, ctx)) suppressRefusal(ctx)
  else noteRefusal(ctx, responded as { status?: number; refusal?: string })
  if (responded instanceof SignInRequired) await askToSignIn(site, responded, ctx)
  else if (responded instanceof FactorRequired) askForFactor(site, ctx)
  else if (responded instanceof ReauthenticationRequired) await askForProof(site, responded, ctx)
  else await showError(site, responded, ctx)
  await compressResponse(ctx)
  return true
}

/**
 * Returns true if a page requires a reauthentication or a second factor before it is shown, which is not logged as a
 * rejection.
 */
function isRoutineQuestion(error: unknown, ctx: HttpContext): boolean {
  const asks = error instanceof FactorRequired || error instanceof ReauthenticationRequired
  return asks && ctx.request.method() === 'GET' && !wantsJson(ctx)
}

/** Redirects pages and htmx to the login form; API clients receive a problem. */
async function askToSignIn(
  site: DraftSite & WithSessionCookies,
  { reason }: SignInRequired,
  ctx: HttpContext
) {
  const { request } = ctx
  site.adminAuthentication.clearCookies(ctx)
  if (wantsJson(ctx)) return sendProblem(ctx, new Problem(401, site.text('errors.401.text')))

  const here = request.method() === 'GET' ? request.request.url : undefined
  const next =
    returnPath(site, await keepUnsent(site, ctx)) ??
    pathToReturnTo(site, request.header('hx-request') ? currentPage(ctx) : here, ctx)
  const query = new URLSearchParams({
    error: reason,
    ...(keepsInBrowser(site, ctx) && { [DRAFT_IN_BROWSER]: '1' }),
    ...(next && { next }),
  })
  const login = `${site.url('/login')}?${query}`
  redirectPage(ctx, login, 401)
}

/** Redirects a user who has to set up a second factor to the page for setting it up. */
function askForFactor(site: Site, ctx: HttpContext) {
  if (wantsJson(ctx)) return sendProblem(ctx, factorProblem(site))
  redirectPage(ctx, site.url('/account/factors/totp'), 403)
}

/**
 * Redirects to the reauthentication page, which redirects back to the page that the rejected request came from.
 */
async function askForProof(site: Site, { next }: ReauthenticationRequired, ctx: HttpContext) {
  const { request } = ctx
  const isRead = ['GET', 'HEAD'].includes(request.method())
  const { pathname, search } = referringPage(ctx) ?? { pathname: undefined, search: '' }
  const here = isRead && !request.header('hx-request') ? request.request.url : undefined
  const wanted =
    next ??
    returnPath(site, here ?? (pathname && pathname + search)) ??
    (await pageAddress(site, ctx))
  /* `refused`: the page tells the user to send the form again. The page of a stored draft (`next`) does that itself. */
  const isRefused = !isRead && next === undefined
  const query = new URLSearchParams({ next: wanted, ...(isRefused && { refused: '1' }) })
  const page = `${site.url('/reauthenticate')}?${query}`
  if (wantsJson(ctx)) return sendProblem(ctx, proofProblem(site, page))
  redirectPage(ctx, page, 403)
}

/**
 * Returns the path to return to, including the list that a form was opened from, unless that makes the path too long.
 */
function pathToReturnTo(site: Site, wanted: string | undefined, ctx: HttpContext) {
  const path = returnPath(site, wanted)
  return path && (returnPath(site, formWithListQuery(ctx, path)) ?? path)
}

/** Returns the URL to return to after the login: for a partial page, the URL of the page that contains it. */
function currentPage({ request }: HttpContext): string | undefined {
  try {
    const { pathname, search } = new URL(request.header('hx-current-url') ?? '')
    return pathname + search
  } catch {
    return undefined
  }
}

const KNOWN = [403, 404, 413, 415, 429, 503]

async function showError(site: Site, error: unknown, ctx: HttpContext) {
  const reason = unavailability(error)
  /* Problems and errors of AdonisJS have a `status`; an error without one is a 500. */
  const status = reason ? 503 : ((error as { status?: number }).status ?? 500)
  const known = KNOWN.includes(status) ? status : status < 500 ? 400 : 500
  const problem = reason ? unavailable(reason) : error
  const headers = problem instanceof Problem ? problem.headers : {}
  const text =
    error instanceof PageError
      ? site.text(error.textKey, error.textData)
      : site.text(`errors.${known}.text`)
  if (wantsJson(ctx)) return sendProblem(ctx, new Problem(status, text, { headers }))
  for (const [name, value] of Object.entries(headers)) ctx.response.header(name, value)

  /* The layout shows the signed-in user; a failure to read the user must not break the error page. */
  const guard = guardOf(ctx)
  await guard.check().catch(() => false)
  const heading = site.text(`errors.${known}.heading`)
  const list = error instanceof PageNotFound ? (error.list ?? null) : null
  const data = { status, heading, text, list }
  ctx.response.status(status).send(await site.render(ctx, 'pages/error', data))
}
