import type { HttpContext } from '@adonisjs/core/http'
import { writeJson } from '../values/json.js'

/**
 * Answers with a JSON value; null is a value too.
 */
export function reply(ctx: HttpContext, value: unknown, status?: number): void {
  if (status) ctx.response.status(status)
  ctx.response
    .header('content-type', 'application/json; charset=utf-8')
    .send(writeJson(value ?? null))
}
