import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { agedCookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'

test.group('Admin | cost of anonymous requests and old cookies', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(() => emptyAdminTables())

  test('[B4] an old token that is sent repeatedly is renewed once, and not at every request', async ({
    assert,
  }) => {
    const jo = await makeUser('jo')
    const cookie = await agedCookiesOf(jo, { minutes: 10 })
    const renewed: boolean[] = []
    for (let i = 0; i < 3; i++) {
      const response = await get('/admin', { headers: { cookie } })
      assert.equal(response.status, 200)
      renewed.push(response.headers.getSetCookie().some((line) => line.startsWith('access_token=')))
    }
    assert.deepEqual(renewed, [true, false, false])
  })

  test('[B3] a password in the query string is ignored', async ({ assert }) => {
    await makeUser('jo')
    const response = await call('POST', '/admin/login?username=jo&password=correct%20horse')
    assert.equal(response.status, 401)
    assert.isEmpty(await db.from('admin_sessions'))
  })

  test('a login with deeply nested form fields is a failed login, and one with deeply nested JSON is refused', async ({
    assert,
  }) => {
    const json = `{"username":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    /* Within the limit of a login; a longer body is not read at all. */
    const form = `username${'[a]'.repeat(5000)}=jo`
    for (const [type, body, status] of [
      ['application/json', json, 415],
      ['application/x-www-form-urlencoded', form, 401],
    ] as const) {
      const response = await call('POST', '/admin/login', {
        body,
        headers: { 'content-type': type },
      })
      assert.equal(response.status, status, type)
    }
  })
})
