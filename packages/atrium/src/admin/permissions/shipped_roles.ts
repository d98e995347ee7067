import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { inUtc } from '#base/values/datetime'

/** Roles that the migration creates. */
const SHIPPED_ROLES = [
  {
    name: 'Everything',
    description: 'All actions on all models',
    permissions: { '*': { actions: ['*'] } },
  },
  {
    name: 'Read only',
    description: 'May view all models, and change nothing',
    permissions: { '*': { actions: ['view'] } },
  },
]

/**
 * Creates the missing default roles and gives *Everything* to all users without a role. For the migration, which can
 * run again after it failed halfway.
 */
export async function giveDefaultRoles(client: QueryClientContract): Promise<void> {
  const now = inUtc()
  for (const { permissions, ...role } of SHIPPED_ROLES) {
    const known = await client.from('admin_roles').where('name', role.name).first()
    if (known) continue
    const row = { ...role, permissions: JSON.stringify(permissions), created_at: now }
    await client.table('admin_roles').insert(row)
  }
  const { id } = await client.from('admin_roles').where('name', SHIPPED_ROLES[0].name).firstOrFail()
  await client.rawQuery(
    `insert into admin_user_roles (user_id, role_id)
      select id, ? from admin_users where id not in (select user_id from admin_user_roles)`,
    [id]
  )
}
