import type { HttpContext } from '@adonisjs/core/http'
import { readingClientOf } from '../../database_config.js'
import AdminRole from '../../models/admin_role.js'
import { viewedRoleOf } from './view_as_guard.js'

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
