import type { HttpContext } from '@adonisjs/core/http'
import { guardOf } from '../identity/admin_guard.js'
import { readingClientOf } from '../config/database_config.js'
import AdminRole from '../models/admin_role.js'
import { PageError } from '../text/errors.js'

/** A superuser views the site as a role, and can't write until that view ends. */
class ViewingAsRole extends PageError {
  static status = 403
  static code = 'E_VIEWING_AS_ROLE'
  readonly textKey = 'roles.viewAs.refused'
  readonly refusal = 'viewing_as_role'
  static message = 'Nothing can be written while you see the site as a role'
}

const READS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Refuses writes while a superuser views the site as a role, as the superuser would act with the permissions of
 * someone else. Runs after the signed-in user is known.
 *
 * @throws ViewingAsRole
 */
export function refuseWhileViewing(ctx: HttpContext): void {
  if (!READS.includes(ctx.request.method())) refuseWrites(ctx)
}

/**
 * Like `refuseWhileViewing`, for a GET request that starts an action.
 *
 * @throws ViewingAsRole
 */
export function refuseWrites(ctx: HttpContext): void {
  if (viewedRoleOf(ctx) !== undefined) throw new ViewingAsRole()
}

/** Returns the id of the role that the request views the site as; undefined if there is none. */
export function viewedRoleOf(ctx: HttpContext): number | undefined {
  return guardOf(ctx).signedIn?.owner.viewedRole
}

/**
 * Returns the role that the site is viewed as, for the banner.
 *
 * @returns null if the site is not viewed as a role; `name` is null if the role was deleted
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
