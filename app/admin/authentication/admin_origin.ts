import type { HttpContext } from '@adonisjs/core/http'
import { originOf } from '#crud/endpoints/access'
import type { Origin } from '#crud/types'

/**
 * Where a request of the site came from, and in which session.
 */
export function adminOrigin(ctx: HttpContext): Origin {
  return { ...originOf(ctx), sessionId: ctx.auth.use('admin').signedIn?.session.id }
}
