import type { HttpContext } from '@adonisjs/core/http'
import type { Problem } from '../errors.js'
import { noteRefusal } from './refusals.js'

/** Sends a problem as the response, and reports it if it is a refusal. */
export function sendProblem(ctx: HttpContext, problem: Problem): void {
  noteRefusal(ctx, problem)
  /* Set already if the write is rolled back at its end, or the list is not sent. */
  for (const name of ['etag', 'x-total-count']) ctx.response.removeHeader(name)
  for (const [name, value] of Object.entries(problem.headers)) ctx.response.header(name, value)
  ctx.response
    .status(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem), false)
}
