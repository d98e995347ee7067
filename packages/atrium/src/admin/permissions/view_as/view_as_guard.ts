import type { HttpContext } from '@adonisjs/core/http'
import { ViewingAsRole } from '../errors.js'
import { guardOf } from '../../identity/admin_guard.js'
import { readingClientOf } from '../../config/database_config.js'
import AdminRole from '../../models/admin_role.js'

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

/**
 * Role that the site is viewed as, for the banner. [U6]
 *
 * @returns null where the site is seen as its user; `name` is null where the role is gone
 */
export async function viewedRole(ctx: HttpContext): Promise<{ name: string | null } | null> {
  const id = viewedRoleOf(ctx)
  if (id === undefined) return null
  const role = await AdminRole.query({ client: readingClientOf(AdminRole) })
    .where('id', id)
    .select('name')
    .first()
  return { name: role?.name ?? null }
}
