import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { isForgery } from '#crud/http/cross_site'
import { compressAnswer } from './compress.js'
import { CrossSiteRequest, SignInRequired } from './errors.js'
import { setSecurityHeaders } from './security_headers.js'

/**
 * Stands before every route of the site, those of the door included.
 */
export async function outerGate(ctx: HttpContext, next: NextFn): Promise<void> {
  setSecurityHeaders(ctx)
  if (isForgery(ctx)) throw new CrossSiteRequest()
  await next()
  await compressAnswer(ctx)
}

/**
 * Stands before every route but those of the door: it lets nobody in who is not signed in. It hangs on
 * the routes themselves, so it does not matter what a path looks like. [S25, B6]
 */
export async function innerGate(ctx: HttpContext, next: NextFn): Promise<void> {
  await requireSignIn(ctx)
  await next()
}

/**
 * @throws SignInRequired
 */
export async function requireSignIn(ctx: HttpContext): Promise<void> {
  if (await ctx.auth.use('admin').check()) return
  const hadSession = ctx.request.plainCookie('session_id', { encoded: false })
  throw new SignInRequired(hadSession ? 'ended' : 'required')
}
