import { test } from '@japa/runner'
import { passwordHash as hash } from '#admin/authentication/passwords/password_hash'
import db from '@adonisjs/lucid/services/db'
import { AdminSession, AdminUser } from '#admin'
import {
  adminSite,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  login,
  makeUser,
  PASSWORD,
  sendForm,
} from '#tests/helpers/admin'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { issueToken } from '#tests/helpers/tokens'

const USERS = '/admin/AdminUser'
const SECRET = 'battery staple'

test.group('Admin | pages of the admin site’s own models', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('admin_audit_log').delete()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  const open = (path: string): Promise<HttpResponse> => get(path, { headers: { cookie } })
  const submit = (path: string, fields: Record<string, string>): Promise<HttpResponse> =>
    sendForm(path, fields, { cookie })
  const bulkDelete = (model: string, ids: unknown[], query = ''): Promise<HttpResponse> =>
    call('DELETE', `/admin/${model}/bulk-delete${query}`, { json: { ids }, headers: { cookie } })
  const messageOf = ({ body }: HttpResponse) => body.detail[0].message

  test('[B13] the list of sessions marks the viewer’s own session', async ({ assert }) => {
    const own = await AdminSession.query().where('userId', jo.id).orderBy('id').firstOrFail()
    await cookiesOf(jo)
    const { text } = await open('/admin/AdminSession/?sort_by=id')
    const rows = [...text.matchAll(/name="ids" value="(\d+)"(.*?)<\/tr>/gs)]
    assert.lengthOf(rows, 2)
    for (const [, id, row] of rows) {
      assert.equal(row.includes('This one'), Number(id) === own.id, id)
    }
  })

  test('[S20, B11] the form creates a user who can log in', async ({ assert }) => {
    const page = await open(`${USERS}/create_page`)
    assert.equal(page.status, 200)
    assert.match(
      page.text,
      /<input[^>]*type="password"[^>]*name="password"|name="password"[^>]*type="password"/
    )
    assert.notInclude(page.text, 'hashed')

    const fields = { username: 'new', password: SECRET, is_superuser: 'true' }
    const { status, headers } = await submit(`${USERS}/form_create`, fields)
    assert.equal(status, 303)
    assert.equal(headers.get('location'), `${USERS}/`)
    const { isSuperuser } = await AdminUser.findByOrFail('username', 'new')
    assert.isTrue(isSuperuser)
    const entered = await login('new', SECRET)
    assert.equal(entered.status, 303)
  })

  test('[S20, B11] the form reports missing values and shows no password', async ({ assert }) => {
    for (const [fields, message] of [
      [{ password: SECRET }, 'username'],
      [{ username: 'new', password: '' }, 'password'],
      [{ username: 'JO', password: SECRET }, 'registered'],
      [{ username: 'a b', password: SECRET }, 'be a user name'],
    ] as Array<[Record<string, string>, string]>) {
      const { status, text } = await submit(`${USERS}/form_create`, fields)
      assert.equal(status, 422, message)
      assert.include(text, message)
      assert.notInclude(text, SECRET)
    }
    assert.lengthOf(await db.from('admin_users'), 1)
  })

  test('[U13, B11] the form refuses a common password, and the user name as the password, with a reason', async ({
    assert,
  }) => {
    for (const [password, message] of [
      ['password1', 'one of the most common ones'],
      ['some.body', 'The password is the user name'],
      ['Ad.Min.2026', 'The password is a name of this site'],
      ['Lovelace99', 'The password is a name of this site'],
      [' with a space', 'does not begin or end with a space'],
    ]) {
      const fields = { username: 'some.body', password, email: 'ada.lovelace@example.org' }
      const { status, text } = await submit(`${USERS}/form_create`, fields)
      assert.equal(status, 422)
      assert.include(text, message)
      assert.notInclude(text, `value="${password}" type="password"`)
    }
    assert.isNull(await AdminUser.findBy('username', 'some.body'))
  })

  test('[S45, B11] the form updates a user, and an empty password field changes nothing', async ({
    assert,
  }) => {
    const al = await makeUser('al', { isSuperuser: false })
    await db.from('admin_users').update({ updated_at: '2001-01-01 00:00:00' })
    const page = await open(`${USERS}/update/${al.id}`)
    assert.include(page.text, 'value="al"')
    assert.notInclude(page.text, al.hashedPassword)

    const path = `${USERS}/form_update/${al.id}`
    const renamed = await submit(path, { username: 'albert', password: '' })
    assert.equal(renamed.status, 303)
    const row = await db.from('admin_users').where('id', al.id).firstOrFail()
    assert.deepInclude(row, { username: 'albert', hashed_password: al.hashedPassword })
    assert.isAbove(Date.parse(row.updated_at), Date.parse('2001-01-02'))

    await submit(path, { password: SECRET })
    const { hashedPassword } = await AdminUser.findOrFail(al.id)
    assert.isTrue(await hash.verify(hashedPassword, SECRET))
  })

  test("[B13, S47] the form can't demote the last superuser", async ({ assert }) => {
    const { status, text } = await submit(`${USERS}/form_update/${jo.id}`, {
      is_superuser: 'false',
      password: SECRET,
    })
    assert.equal(status, 400)
    assert.include(text, 'jo is the last superuser and must stay one.')
    assert.notInclude(text, SECRET)
    const { isSuperuser, hashedPassword } = await AdminUser.findOrFail(jo.id)
    assert.isTrue(isSuperuser)
    assert.isTrue(await hash.verify(hashedPassword, PASSWORD))
  })

  test('[B7] changing one’s own password in the form ends the user’s other sessions', async ({
    assert,
  }) => {
    const elsewhere = await cookiesOf(jo)
    const { status } = await submit(`${USERS}/form_update/${jo.id}`, { password: SECRET })
    assert.equal(status, 303)
    assert.isTrue(await isSignedIn(cookie))
    assert.isFalse(await isSignedIn(elsewhere))
  })

  test('[P10] the form can revoke all access tokens of a user, and each revocation is logged', async ({
    assert,
  }) => {
    const al = await makeUser('al')
    const { accessTokens } = await adminSite()
    const tokensOf = async (user: AdminUser) => {
      const tokens = await accessTokens.ofUser(user)
      return tokens.length
    }
    for (const user of [al, al, jo]) await issueToken(user)
    const { text } = await open(`${USERS}/update/${al.id}`)
    assert.match(text, /<input[^>]*type="checkbox"[^>]*>/)
    assert.include(text, 'name="revoke_tokens"')
    const create = await open(`${USERS}/create_page`)
    assert.notInclude(create.text, 'revoke_tokens')

    const path = `${USERS}/form_update/${al.id}`
    await submit(path, { password: SECRET })
    await submit(path, { password: SECRET, revoke_tokens: 'false' })
    assert.equal(await tokensOf(al), 2)
    const { status } = await submit(path, { password: SECRET, revoke_tokens: 'true' })
    assert.equal(status, 303)
    assert.deepEqual([await tokensOf(al), await tokensOf(jo)], [0, 1])
    const rows = await db.from('admin_audit_log').where('resource_type', 'AdminAccessToken')
    assert.lengthOf(
      rows.filter(({ action }) => action === 'DELETE'),
      2
    )
    assert.notInclude(JSON.stringify(rows), 'revoke_tokens')
  })

  test("[P10] API clients can revoke a user's access tokens by the field revoke_tokens, without a new password", async ({
    assert,
  }) => {
    const { accessTokens } = await adminSite()
    const al = await makeUser('al')
    await issueToken(al)
    const path = `${USERS}/crud/${al.id}`
    const json = { revoke_tokens: true }
    const { status } = await call('PATCH', path, { json, headers: { cookie } })
    assert.equal(status, 200)
    assert.isEmpty(await accessTokens.ofUser(al))
    const { hashedPassword } = await AdminUser.findOrFail(al.id)
    assert.equal(hashedPassword, al.hashedPassword)
  })

  test('[B25, B11] a conflict shows no password and no hash', async ({ assert }) => {
    const al = await makeUser('al')
    const page = await open(`${USERS}/update/${al.id}`)
    const [, version] = /name="_version"[^>]*value="([^"]+)"/.exec(page.text)!
    assert.notInclude(version, al.hashedPassword)
    await db.from('admin_users').where('id', al.id).update({ username: 'albert' })
    const { status, text } = await submit(`${USERS}/form_update/${al.id}`, {
      _version: version,
      username: 'alan',
      password: SECRET,
    })
    assert.equal(status, 409)
    assert.notInclude(text, SECRET)
    assert.notInclude(text, al.hashedPassword)
    const { username } = await AdminUser.findOrFail(al.id)
    assert.equal(username, 'albert')
  })

  test('[B13, S52] a bulk delete does not delete the current user or the last superuser', async ({
    assert,
  }) => {
    const al = await makeUser('al', { isSuperuser: false })
    for (const query of ['', '?hard=true']) {
      const refused = await bulkDelete('AdminUser', [al.id, jo.id], query)
      assert.equal(refused.status, 400)
      assert.equal(messageOf(refused), "Error during deletion: You can't delete yourself.")
    }
    assert.lengthOf(await db.from('admin_users'), 2)

    const elsewhere = await cookiesOf(al)
    const { status } = await bulkDelete('AdminUser', [al.id])
    assert.equal(status, 200)
    assert.isFalse(await isSignedIn(elsewhere))
    assert.lengthOf(await db.from('admin_token_blacklist'), 1)
  })

  test('[B13, B24] a bulk delete without JavaScript does not delete the current user or the last superuser either', async ({
    assert,
  }) => {
    await makeUser('al')
    const response = await submit(`${USERS}/form_bulk_delete`, {
      ids: String(jo.id),
      action: 'delete',
      confirmed: '1',
    })
    assert.equal(response.status, 303)
    const next = await get(response.headers.get('location')!, {
      headers: { cookie: `${cookie}; ${cookiesFrom(response)}` },
    })
    assert.match(next.text, /Error during deletion: You can&#0?(39|x27);t delete yourself\./i)
    assert.lengthOf(await db.from('admin_users'), 2)
  })

  test('[B13] deleting sessions ends them immediately', async ({ assert }) => {
    const al = await makeUser('al')
    const [first, second] = [await cookiesOf(al), await cookiesOf(al)]
    const sessions = await AdminSession.query().where('userId', al.id)
    const { status } = await bulkDelete(
      'AdminSession',
      sessions.map(({ id }) => id)
    )
    assert.equal(status, 200)
    for (const one of [first, second]) assert.isFalse(await isSignedIn(one))
    assert.lengthOf(await db.from('admin_token_blacklist'), 2)
    assert.isTrue(await isSignedIn(cookie))
  })

  test('[B12, B13] the list of sessions shows the users and no secret', async ({ assert }) => {
    const al = await makeUser('al-bert')
    await cookiesOf(al)
    const { status, text } = await open('/admin/AdminSession/')
    assert.equal(status, 200)
    assert.include(text, 'al-bert')
    assert.include(text, '127.0.0.1')
    for (const heading of ['User', 'Address', 'Device', 'Logged in', 'Last active', 'Active']) {
      assert.match(text, new RegExp(`>\\s*${heading}\\s*<`), heading)
    }
    for (const { sessionId, sessionMetadata } of await AdminSession.all()) {
      assert.notInclude(text, sessionId)
      for (const jti of Object.keys(sessionMetadata.tokens)) assert.notInclude(text, jti)
    }
    assert.notInclude(text, '/admin/AdminSession/update/')
    assert.notInclude(text, '/admin/AdminSession/create_page')
  })

  test('[B11] lists do not show or search the hash', async ({ assert }) => {
    const { text } = await open(`${USERS}/`)
    assert.include(text, 'jo')
    assert.notMatch(text, /hashed|correct horse/)
    for (const column of ['hashed_password', 'hashedPassword', 'password']) {
      const query = `column-to-search=${column}&search-input=nothing-like-it`
      const found = await open(`${USERS}/?${query}`)
      assert.equal(found.status, 200)
      assert.include(found.text, `${USERS}/update/${jo.id}"`, column)
      const sorted = await open(`${USERS}/?sort_by=${column}&sort_order=desc`)
      assert.equal(sorted.status, 200)
      assert.notMatch(sorted.text, /correct horse/)
    }
  })
})
