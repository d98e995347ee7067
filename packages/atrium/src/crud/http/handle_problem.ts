import { Exception } from '@adonisjs/core/exceptions'
import { errors as httpErrors, type HttpContext } from '@adonisjs/core/http'
import { isBelowPrefix, isGeneratedRoute } from '../endpoints/generated_routes.js'
import { Problem } from '#base/errors'
import { engineRouter } from '#base/http/engine_router'
import { sendProblem, toProblem } from '#base/http/send_problem'
import { methodNotAllowed, noEndpoint } from '#base/http/problems'
import { limitRate } from './rate_limit.js'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Sends the response for an error of a generated endpoint, or of a path below the endpoints' prefix. The engine calls
 * this function itself; only an exception handler that responds to these paths needs to call it.
 *
 * @param error  any thrown value; a value other than a Problem is sent as a 500 without details
 * @returns true if the error was handled; false if the application has to handle it
 */
export async function handleProblem(error: unknown, ctx: HttpContext): Promise<boolean> {
  if (!isOurs(ctx)) return false

  if (isRouteMissing(error)) await respondNotFoundCounted(ctx)
  else sendProblem(ctx, toProblem(error))
  return true
}

/** Responds to a request for an unknown path, which counts towards the rate limit. */
async function respondNotFoundCounted(ctx: HttpContext): Promise<void> {
  try {
    await limitRate(ctx)
  } catch (error) {
    const problem = toProblem(error)
    if (!(error instanceof Problem)) ctx.logger.error({ err: error }, problem.message)
    return sendProblem(ctx, problem)
  }
  respondNotFound(ctx)
}

/** Responds to a request that matches no route: 405 with the methods of the path, 204 for OPTIONS, or 404. */
export function respondNotFound(ctx: HttpContext): void {
  const allowed = allowedMethods(ctx)
  if (allowed.length === 0) sendProblem(ctx, noEndpoint())
  else if (ctx.request.method() === 'OPTIONS') {
    ctx.response.status(204).header('allow', allowed.join(', ')).send('')
  } else sendProblem(ctx, methodNotAllowed(allowed))
}

/**
 * Returns the error to log for a request: an unexpected error of a generated endpoint is logged as a 500, even if the
 * library that threw it has set another status.
 *
 * @returns the error itself, or an Exception with status 500 and the error as its cause
 */
export function toReport(error: unknown, ctx: HttpContext): unknown {
  const status = (error as { status?: unknown } | undefined | null)?.status
  if (status === undefined || !isOurs(ctx) || toProblem(error).status < 500) return error
  return new Exception((error as Error).message, { status: 500, cause: error })
}

function isOurs(ctx: HttpContext): boolean {
  if (ctx.route) return isGeneratedRoute(ctx)
  return isBelowPrefix(ctx.request.parsedUrl.pathname ?? '')
}

function isRouteMissing(error: unknown): boolean {
  return error instanceof httpErrors.E_ROUTE_NOT_FOUND
}

/** Returns the methods that the router has for the path. */
function allowedMethods({ request }: HttpContext): string[] {
  const { shouldDecodeParam } = request.parsedUrl as { shouldDecodeParam: boolean }
  const router = engineRouter()
  const allowed = METHODS.filter((method) => router.match(request.url(), method, shouldDecodeParam))
  return allowed.length > 0 ? [...allowed, 'OPTIONS'] : []
}
