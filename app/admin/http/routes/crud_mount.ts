import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import { Problem } from '#crud'
import { answerMissing, sendProblem, toProblem } from '#crud/http/handle_problem'
import type { AdminSite } from '../../admin_site.js'
import type { ModelView } from '../../model_view.js'
import { NotAllowed, SignInRequired } from '../errors.js'
import { outerGate, requireSignIn } from '../guards.js'

/**
 * Registers the generated endpoints of one model below its `/crud`. The gates hang on all routes that
 * an `EndpointCreator` registers, its own ones included. [S61]
 */
export function registerCrudMount(site: AdminSite, view: ModelView): void {
  site.router.group(() => view.endpoints.register()).use([outerGate, crudGate(site, view)])
}

/**
 * Lets in who is signed in, and to the admin's own models superusers only. Programs call here: the
 * answer is a problem, whatever they accept. [B6, B13]
 */
function crudGate(site: AdminSite, view: ModelView) {
  return async (ctx: HttpContext, next: NextFn) => {
    await requireProgram(site, ctx)
    if (!view.admits(ctx)) throw new NotAllowed()
    await next()
  }
}

/**
 * Whether a path lies below some model's `/crud`, be there such a model or not: who is not signed in
 * does not learn which there are.
 *
 * @param path  below the mount
 */
export function isCrudPath(site: AdminSite, path: string): boolean {
  return /^\/[^/]+\/crud(\/|$)/.test(path.slice(site.mountPath.length))
}

/**
 * Answers where a path below `/crud` is nobody's, or its method is. Login first. [B6, A25]
 */
export async function answerMissingEndpoint(site: AdminSite, ctx: HttpContext): Promise<void> {
  try {
    await requireProgram(site, ctx)
  } catch (error) {
    const problem = toProblem(error)
    if (problem.status >= 500) ctx.logger.error({ err: error }, problem.message)
    return sendProblem(ctx, problem)
  }
  answerMissing(ctx)
}

/**
 * @throws Problem 401
 */
async function requireProgram(site: AdminSite, ctx: HttpContext): Promise<void> {
  try {
    await requireSignIn(ctx)
  } catch (error) {
    if (!(error instanceof SignInRequired)) throw error
    site.adminAuthentication.clearCookies(ctx)
    throw new Problem(401, site.text('errors.401.text'))
  }
}
