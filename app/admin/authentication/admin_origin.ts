import type { HttpContext } from '@adonisjs/core/http'
import { originOf, type Origin } from '#crud/internals'

/**
 * Network address, user agent and session of a request.
 */
export function adminOrigin(ctx: HttpContext): Origin {
  return { ...originOf(ctx), sessionId: ctx.auth.use('admin').signedIn?.session.id }
}
