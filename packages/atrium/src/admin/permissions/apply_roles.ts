import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { RuntimeError } from '#crud'
import type { AdminSite } from '../admin_site.js'
import AdminRole from '../models/admin_role.js'
import type { RoleChange } from './roles_file.js'

/**
 * Writes the changes of an import as the form would: with events, and with the next request of those who have
 * the roles.
 */
export async function applyChanges(
  { models }: Pick<AdminSite, 'models'>,
  changes: readonly RoleChange[],
  client: TransactionClientContract
): Promise<void> {
  const crud = models.get(AdminRole.name)?.crud
  if (!crud) throw new RuntimeError('The admin site has no roles')
  for (const { kind, id, role } of changes) {
    if (kind === 'delete') await crud.delete(id, { client })
    else if (kind === 'update') await crud.update(id, valuesOf(role!), { client })
    else await crud.create(valuesOf(role!), { client })
  }
}

function valuesOf({ name, description, permissions }: NonNullable<RoleChange['role']>) {
  return { name, description, permissions }
}
