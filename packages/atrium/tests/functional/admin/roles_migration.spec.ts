import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import RolesMigration from '#migrations/admin/1790000000007_create_admin_roles_tables'
import DashboardsMigration from '#migrations/admin/1790000000160_create_admin_role_dashboards_table'
import { emptyAdminTables, fakeHashes, login, makeUser, PASSWORD } from '#tests/helpers/admin'
import { permissionsVersionOf, restoreRoles, rolesOfUser } from '#tests/helpers/roles'

/** The database as the version before roles left it, and brought up to date again. */
test.group('Admin | the migration of roles', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    return async () => {
      await emptyAdminTables()
      await restoreRoles()
    }
  })

  const migration = () => new RolesMigration(db.connection() as any, 'roles', false)
  /* Its table refers to the roles. */
  const later = () => new DashboardsMigration(db.connection() as any, 'dashboards', false)

  test('[U5] rolling back and migrating preserves users and gives all of them the role Everything, and they can log in', async ({
    assert,
  }) => {
    const users = []
    for (const username of ['root', 'jo', 'ann']) {
      users.push(await makeUser(username, { isSuperuser: username === 'root' }))
    }
    await later().execDown()
    await migration().execDown()
    const [before] = await db.from('admin_users').limit(1)
    assert.notProperty(before, 'attributes')
    assert.notProperty(before, 'permissions_version')
    for (const table of ['admin_roles', 'admin_user_roles']) {
      await assert.rejects(() => db.from(table).limit(1))
    }

    await migration().execUp()
    await later().execUp()
    for (const user of users) {
      assert.deepEqual(await rolesOfUser(user), ['Everything'])
      assert.equal(await permissionsVersionOf(user), 0)
      const { status, headers } = await login(user.username, PASSWORD)
      assert.equal(status, 303)
      assert.equal(headers.get('location'), '/admin')
    }
    const roles = await db.from('admin_roles').orderBy('id')
    assert.deepEqual(
      roles.map(({ name }) => name),
      ['Everything', 'Read only']
    )
  })
})
