import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { agedCookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'

test.group('Admin | what a stranger or an old cookie may cost', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(() => emptyAdminTables())

  test('[B4] an old token that is kept makes one new one, not one a request', async ({
    assert,
  }) => {
    const jo = await makeUser('jo')
    const cookie = await agedCookiesOf(jo, { minutes: 10 })
    const renewed: boolean[] = []
    for (let i = 0; i < 3; i++) {
      const answer = await get('/admin', { headers: { cookie } })
      assert.equal(answer.status, 200)
      renewed.push(answer.headers.getSetCookie().some((line) => line.startsWith('access_token=')))
    }
    assert.deepEqual(renewed, [true, false, false])
  })

  test('[B3] a password in the address is none', async ({ assert }) => {
    await makeUser('jo')
    const answer = await call('POST', '/admin/login?username=jo&password=correct%20horse')
    assert.equal(answer.status, 401)
    assert.isEmpty(await db.from('admin_sessions'))
  })

  test('what nests without end is no name, as a form, and not even read, as JSON', async ({
    assert,
  }) => {
    const json = `{"username":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    /* Within what a login may have; nothing longer is read at all. */
    const form = `username${'[a]'.repeat(5000)}=jo`
    for (const [type, body, status] of [
      ['application/json', json, 415],
      ['application/x-www-form-urlencoded', form, 401],
    ] as const) {
      const answer = await call('POST', '/admin/login', { body, headers: { 'content-type': type } })
      assert.equal(answer.status, status, type)
    }
  })
})
