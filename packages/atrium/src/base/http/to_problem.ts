import { Exception } from '@adonisjs/core/exceptions'
import { errors as vineErrors } from '@vinejs/vine'
import { unavailability } from '../database/unavailable.js'
import { Problem } from '../errors.js'
import { internalError, invalidBody, unavailable } from './problems.js'
import type { HttpContext } from '@adonisjs/core/http'
import { noteRefusal } from './refusals.js'

/** Sends a problem as the response, and reports it if it is a refusal. */
export function sendProblem(ctx: HttpContext, problem: Problem): void {
  noteRefusal(ctx, problem)
  /* These headers are already set if a write is rolled back at its end, or a list is not sent after all. */
  for (const name of ['etag', 'x-total-count', 'x-total-is-estimate'])
    ctx.response.removeHeader(name)
  for (const [name, value] of Object.entries(problem.headers)) ctx.response.header(name, value)
  ctx.response
    .status(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem), false)
}

/**
 * Converts any thrown value to a problem. The status of an exception of AdonisJS applies to the caller's request; that
 * of another error, such as a 404 of another server, does not.
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
