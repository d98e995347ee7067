import { Exception } from '@adonisjs/core/exceptions'
import { errors as httpErrors, type HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'
import { errors as vineErrors } from '@vinejs/vine'
import { unavailability } from '../database/unavailable.js'
import { isBelowPrefix, isGeneratedRoute } from '../endpoints/generated_routes.js'
import { Problem } from './problem.js'
import {
  internalError,
  invalidBody,
  methodNotAllowed,
  noEndpoint,
  unavailable,
} from './problems.js'
import { limitRate } from './rate_limit.js'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Answers an error of a generated endpoint, or of a path below their prefix. For the application's
 * exception handler to call first.
 *
 * @returns whether the error was answered; any other is the application's
 */
export async function handleProblem(error: unknown, ctx: HttpContext): Promise<boolean> {
  if (!isOurs(ctx)) return false

  if (isRouteMissing(error)) await answerMissingCounted(ctx)
  else sendProblem(ctx, toProblem(error))
  return true
}

/** What is nobody's is no way around the rate limit. [Q8] */
async function answerMissingCounted(ctx: HttpContext): Promise<void> {
  try {
    await limitRate(ctx)
  } catch (error) {
    const problem = toProblem(error)
    if (!(error instanceof Problem)) ctx.logger.error({ err: error }, problem.message)
    return sendProblem(ctx, problem)
  }
  answerMissing(ctx)
}

/**
 * Answers where no route is: which methods the path has, or that it is nobody's. [A25]
 */
export function answerMissing(ctx: HttpContext): void {
  const allowed = allowedMethods(ctx)
  if (allowed.length === 0) sendProblem(ctx, noEndpoint())
  else if (ctx.request.method() === 'OPTIONS') {
    ctx.response.status(204).header('allow', allowed.join(', ')).send('')
  } else sendProblem(ctx, methodNotAllowed(allowed))
}

/**
 * What to log of an error: a fault of ours as one, whatever status it brings from elsewhere. [A29]
 */
export function toReport(error: unknown, ctx: HttpContext): unknown {
  const status = (error as { status?: unknown } | undefined | null)?.status
  if (status === undefined || !isOurs(ctx) || toProblem(error).status < 500) return error
  return new Exception((error as Error).message, { status: 500, cause: error })
}

/**
 * Turns whatever was thrown into a problem. Only the application's own exceptions say what a caller
 * did wrong; the status of any other error (another server's 404, say) is not about this request.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof vineErrors.E_VALIDATION_ERROR) return invalidBody(error.messages)
  if (error instanceof Exception && error.status >= 400 && error.status < 500) {
    return new Problem(error.status, error.message || 'The request was refused')
  }
  const reason = unavailability(error)
  return reason ? unavailable(reason) : internalError()
}

export function sendProblem(ctx: HttpContext, problem: Problem): void {
  /* It may be there already when the write is undone at its end. */
  ctx.response.removeHeader('etag')
  for (const [name, value] of Object.entries(problem.headers)) ctx.response.header(name, value)
  ctx.response
    .status(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem), false)
}

function isOurs(ctx: HttpContext): boolean {
  if (ctx.route) return isGeneratedRoute(ctx)
  return isBelowPrefix(ctx.request.parsedUrl.pathname ?? '')
}

function isRouteMissing(error: unknown): boolean {
  return error instanceof httpErrors.E_ROUTE_NOT_FOUND
}

/** What the path would answer, asked of the router itself. [A25] */
function allowedMethods({ request }: HttpContext): string[] {
  const { shouldDecodeParam } = request.parsedUrl as { shouldDecodeParam: boolean }
  const hostname = router.usingDomains ? request.hostname() : null
  const allowed = METHODS.filter((method) =>
    router.match(request.url(), method, shouldDecodeParam, hostname)
  )
  return allowed.length > 0 ? [...allowed, 'OPTIONS'] : []
}
