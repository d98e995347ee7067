import { Exception } from '@adonisjs/core/exceptions'
import { errors as vineErrors } from '@vinejs/vine'
import { unavailability } from '../database/unavailable.js'
import { Problem } from '../errors.js'
import { internalError, invalidBody, unavailable } from './problems.js'
import type { HttpContext } from '@adonisjs/core/http'
import { RequestValue } from './request.js'

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

/** Status and reason of a refused request. */
export interface Refusal {
  status: RefusalStatus
  /** Reason for the log, as one word such as `ability`; undefined for a 404 whose reason depends on the record */
  reason?: string
}

type RefusalStatus = keyof typeof REASONS

/* Default reason by status */
const REASONS = { 401: 'not_authenticated', 403: 'permission', 404: undefined, 429: 'throttled' }

type Observer = (ctx: HttpContext, refusal: Refusal) => void

const NOTED = new RequestValue<boolean>('refusal noted')

let observer: Observer | undefined

/**
 * Registers a function that receives refused requests, each once.
 *
 * @returns a function that removes it
 */
export function observeRefusals(receive: Observer): () => void {
  observer = receive
  return () => {
    if (observer === receive) observer = undefined
  }
}

/**
 * Reports a refused request of the engine's routes: 401, 403, 404 or 429. Other statuses, and further calls for the
 * same request, are ignored.
 *
 * @param error  its status, and the reason as one word in `refusal`; null: not a refusal, but part of a normal
 *   exchange, such as the request for a second factor
 */
export function noteRefusal(
  ctx: HttpContext,
  { status, refusal }: { status?: number; refusal?: string | null }
): void {
  if (!observer || !isRefusal(status) || NOTED.get(ctx)) return
  suppressRefusal(ctx)
  if (refusal !== null) observer(ctx, { status, reason: refusal ?? REASONS[status] })
}

/** Suppresses the refusal of this request: it is logged with a separate event, or is part of a normal exchange. */
export function suppressRefusal(ctx: HttpContext): void {
  NOTED.set(ctx, true)
}

function isRefusal(status: number | undefined): status is RefusalStatus {
  return status !== undefined && status in REASONS
}
