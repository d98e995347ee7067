import type { HttpContext } from '@adonisjs/core/http'
import { ViewingAsRole } from '../../errors.js'
import { guardOf } from '../../authentication/sessions/admin_guard.js'

const READS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Refuses to write while a superuser sees the site as a role: nothing is done under rights that are not
 * one's own. The signed-in user must be known. [U6]
 *
 * @throws ViewingAsRole
 */
export function refuseWhileViewing(ctx: HttpContext): void {
  if (!READS.includes(ctx.request.method())) refuseWrites(ctx)
}

/**
 * The same for a request that starts something by its address.
 *
 * @throws ViewingAsRole
 */
export function refuseWrites(ctx: HttpContext): void {
  if (viewedRoleOf(ctx) !== undefined) throw new ViewingAsRole()
}

/**
 * Id of the role that the request sees the site as; undefined: as its user. [U6]
 */
export function viewedRoleOf(ctx: HttpContext): number | undefined {
  return guardOf(ctx).signedIn?.owner.viewedRole
}
