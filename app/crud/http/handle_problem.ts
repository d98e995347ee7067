import type { HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'
import { errors as vineErrors } from '@vinejs/vine'
import { isBelowPrefix, isGeneratedRoute } from './generated_routes.js'
import { Problem } from './problem.js'
import { internalError, invalidBody, methodNotAllowed, noEndpoint } from './problems.js'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Answers an error of a generated endpoint, or of a path below their prefix. For the application's
 * exception handler to call first.
 *
 * @returns whether the error was answered; any other is the application's
 */
export function handleProblem(error: unknown, ctx: HttpContext): boolean {
  if (!isGeneratedRoute(ctx) && !isBelowPrefix(ctx.request.parsedUrl.pathname ?? '')) return false

  if (isRouteMissing(error)) {
    const allowed = allowedMethods(ctx)
    if (allowed.length === 0) send(ctx, noEndpoint())
    else if (ctx.request.method() === 'OPTIONS') {
      ctx.response.status(204).header('allow', allowed.join(', ')).send('')
    } else send(ctx, methodNotAllowed(allowed))
  } else {
    send(ctx, toProblem(error))
  }
  return true
}

/**
 * Turns whatever was thrown into a problem. What has no status of its own is a fault of ours.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof vineErrors.E_VALIDATION_ERROR) return invalidBody(error.messages)
  const { status, message } = error as { status?: number; message?: string }
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Problem(status, message || 'The request was refused')
  }
  return internalError()
}

function send(ctx: HttpContext, problem: Problem) {
  for (const [name, value] of Object.entries(problem.headers)) ctx.response.header(name, value)
  ctx.response
    .status(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem))
}

function isRouteMissing(error: unknown): boolean {
  return (error as { code?: string }).code === 'E_ROUTE_NOT_FOUND'
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
