/* Roles for tests: made, given, and put back as the migration leaves them. */
import db from '@adonisjs/lucid/services/db'
import { AdminRole, AdminUser, type PermissionsDocument } from '#admin'
import type { PermissionsInput } from '#admin/models/permissions_document'
import { raiseVersions } from '#admin/models/versions'
import { giveDefaultRoles } from '#admin/permissions/shipped_roles'
import { setRoles } from '#admin/permissions/user_roles'

export async function makeRole(
  name: string,
  permissions: PermissionsInput,
  description = ''
): Promise<AdminRole> {
  return await AdminRole.create({
    name,
    description,
    permissions: permissions as PermissionsDocument,
  })
}

/** Gives a user these roles and no others, by name. */
export async function giveRoles(user: AdminUser, names: readonly string[]): Promise<void> {
  await AdminUser.transaction(async (client) => {
    const roles = await AdminRole.query({ client }).whereIn('name', [...names])
    if (roles.length < names.length) throw new Error(`Not all of these are roles: ${names}`)
    const ids = roles.map(({ id }) => id)
    await setRoles(user.id, ids, client)
    await raiseVersions(client, [user.id])
  })
}

export async function rolesOfUser(user: Pick<AdminUser, 'id'>): Promise<string[]> {
  const found = await AdminUser.query().where('id', user.id).preload('roles').firstOrFail()
  return found.roles.map(({ name }) => name).toSorted()
}

/** Has nothing but the shipped roles there. */
export async function restoreRoles(): Promise<void> {
  await db.from('admin_roles').delete()
  await giveDefaultRoles(db.connection())
}

export async function roleIdOf(name: string): Promise<number> {
  const { id } = await AdminRole.findByOrFail('name', name)
  return id
}

/** As the database has it now */
export async function permissionsVersionOf({ id }: Pick<AdminUser, 'id'>): Promise<number> {
  const { permissionsVersion } = await AdminUser.findOrFail(id)
  return permissionsVersion
}
