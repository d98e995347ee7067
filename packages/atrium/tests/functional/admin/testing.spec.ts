import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { AdminUser } from '#admin'
import { adminPath, makeAdmin } from '#admin/testing'
import { emptyAdminTables } from '#tests/helpers/admin'

test.group('Test helpers for requests', (group) => {
  group.setup(() => emptyAdminTables())

  test('[P10] withAdminToken sends a token with the given abilities only', async ({
    assert,
    client,
  }) => {
    const open = await client.get('/api/token-guarded').withAdminToken()
    assert.equal(open.status(), 200)
    const right = await client.get('/api/token-guarded').withAdminToken(['Guarded:read_multi'])
    assert.equal(right.status(), 200)
    const wrong = await client.get('/api/token-guarded').withAdminToken(['Guarded:create'])
    assert.equal(wrong.status(), 403)
    const none = await client.get('/api/token-guarded')
    assert.equal(none.status(), 401)
    assert.lengthOf(await AdminUser.all(), 1)
  })

  test('[B4] asAdmin logs in the request as the given user, or as a superuser', async ({
    assert,
    client,
  }) => {
    const clerk = await makeAdmin({ username: 'clerk', isSuperuser: false })
    const users = await adminPath('/AdminUser/')
    const root = await client.get(users).asAdmin()
    assert.equal(root.status(), 200)
    const refused = await client.get(users).asAdmin(clerk)
    assert.equal(refused.status(), 403)
    const dashboard = await client.get(await adminPath('/')).asAdmin(clerk)
    assert.include(dashboard.text(), 'clerk')
  })

  test('[B4] asAdmin adds its cookies to those of other plugins, such as sessionApiClient', async ({
    assert,
    client,
  }) => {
    const users = await adminPath('/AdminUser/')
    const page = await client.get(users).withCookie('adonis-session', 'some session').asAdmin()
    assert.equal(page.status(), 200)
    const cookies = Object.keys(page.request.cookiesJar)
    assert.sameMembers(cookies, ['access_token', 'adonis-session', 'session_id'])
  })

  test('users created in a test are removed at its end with their sessions and tokens', async ({
    assert,
  }) => {
    for (const table of ['admin_users', 'admin_sessions', 'admin_access_tokens']) {
      assert.deepEqual(await db.from(table), [], table)
    }
  })
})
