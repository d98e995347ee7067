import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminRole, AdminUser } from '#admin'
import { giveDefaultRoles } from '#admin/permissions/shipped_roles'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { makeRole, restoreRoles, rolesOfUser } from '#tests/helpers/roles'

test.group('Admin | default roles', (group) => {
  group.each.setup(async () => {
    await emptyAdminTables()
    return async () => {
      await emptyAdminTables()
      await restoreRoles()
    }
  })

  test('[U5] existing users without roles get the role Everything, and repeating that changes nothing', async ({
    assert,
  }) => {
    const jo = await makeUser('jo', { isSuperuser: false, roles: [] })
    const ann = await makeUser('ann', { roles: [] })
    await db.from('admin_roles').delete()
    await giveDefaultRoles(db.connection())
    for (const user of [jo, ann]) assert.deepEqual(await rolesOfUser(user), ['Everything'])

    await makeRole('Clerk', {})
    const { id } = await AdminRole.findByOrFail('name', 'Clerk')
    await db.from('admin_user_roles').where('user_id', jo.id).update({ role_id: id })
    const stored = () => db.from('admin_roles').orderBy('id')
    const before = await stored()
    await giveDefaultRoles(db.connection())
    assert.deepEqual(await stored(), before)
    assert.deepEqual(await rolesOfUser(jo), ['Clerk'])
  })

  test('[U5] a user who was stored before the column of attributes existed has none, and can be read', async ({
    assert,
  }) => {
    const jo = await makeUser('jo')
    await db.from('admin_users').where('id', jo.id).update({ attributes: null })
    const { attributes } = await AdminUser.findOrFail(jo.id)
    assert.deepEqual(attributes as object, {})
  })
})
