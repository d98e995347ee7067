import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { AdminSession, type AdminUser } from '#admin'
import {
  cookieIn,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  makeUser,
} from '#tests/helpers/admin'
import { call, type HttpResponse } from '#tests/helpers/http'
import { insertRow } from '#tests/helpers/databases'

const SESSIONS = '/admin/AdminSession/crud'
const TOKENS = '/admin/AdminTokenBlacklist/crud'

function jtiOf(cookie: string): string {
  const [, claims] = cookieIn(cookie, 'access_token').split('.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).jti
}

test.group('Admin | sessions through /crud', (group) => {
  let jo: AdminUser
  let al: AdminUser
  let cookie: string
  let cookieOfAl: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
    al = await makeUser('al', { isSuperuser: false })
    cookie = await cookiesOf(jo)
    cookieOfAl = await cookiesOf(al)
  })

  const send = (method: string, path: string, json?: unknown): Promise<HttpResponse> =>
    call(method, path, { json, headers: { cookie } })

  test('[B12, B13] the response for a session contains no secret', async ({ assert }) => {
    const session = await AdminSession.findByOrFail('userId', al.id)
    const { body, text } = await send('GET', `${SESSIONS}/${session.id}`)
    assert.sameMembers(Object.keys(body), [
      'id',
      'user_id',
      'ip_address',
      'user_agent',
      'device_info',
      'created_at',
      'last_activity',
      'is_active',
    ])
    assert.deepInclude(body, { user_id: al.id, ip_address: '127.0.0.1', is_active: true })
    const list = await send('GET', SESSIONS)
    for (const shown of [text, list.text]) {
      assert.notInclude(shown, session.sessionId)
      assert.notInclude(shown, jtiOf(cookieOfAl))
    }
    for (const hidden of ['session_id', 'session_metadata']) {
      const { status } = await send('GET', `${SESSIONS}?sort=${hidden}`)
      assert.equal(status, 422, hidden)
    }
    const filtered = await send('GET', `${SESSIONS}?session_id=${session.sessionId}`)
    assert.equal(filtered.body.total_count, 2)
  })

  test('[B13] deleting a session ends it immediately, together with its tokens')
    .with(['/', '/db_delete/'])
    .run(async ({ assert }, path) => {
      const stored = await cookiesOf(al)
      const session = await AdminSession.query().where('userId', al.id).orderBy('id').firstOrFail()
      const { status } = await send('DELETE', SESSIONS + path + session.id)
      assert.equal(status, 200)
      assert.isFalse(await isSignedIn(cookieOfAl))
      assert.isTrue(await isSignedIn(stored))
      assert.isTrue(await isSignedIn(cookie))
      assert.isNull(await AdminSession.find(session.id))
      const revoked = await db.from('admin_token_blacklist')
      assert.deepEqual(
        revoked.map(({ token }) => token),
        [jtiOf(cookieOfAl)]
      )
    })

  test('[B13] the token of a deleted session is refused with another session too', async ({
    assert,
  }) => {
    const session = await AdminSession.findByOrFail('userId', al.id)
    await send('DELETE', `${SESSIONS}/${session.id}`)
    const again = await cookiesOf(al)
    const mixed = [
      `access_token=${cookieIn(cookieOfAl, 'access_token')}`,
      `session_id=${cookieIn(again, 'session_id')}`,
    ]
    assert.isFalse(await isSignedIn(mixed.join('; ')))
    assert.isTrue(await isSignedIn(again))
  })

  test('[B13] superusers can delete their own session', async ({ assert }) => {
    const session = await AdminSession.findByOrFail('userId', jo.id)
    const { status } = await send('DELETE', `${SESSIONS}/${session.id}`)
    assert.equal(status, 200)
    const next = await send('GET', SESSIONS)
    assert.equal(next.status, 401)
  })

  test('[B13, B14] sessions can’t be created or updated, and revoked tokens are read-only', async ({
    assert,
  }) => {
    const session = await AdminSession.findByOrFail('userId', al.id)
    const token = await insertRow('admin_token_blacklist', {
      token: 'a-jti',
      expires_at: '2099-01-01 00:00:00',
    })
    const before = [await db.from('admin_sessions'), await db.from('admin_token_blacklist')]
    for (const [method, path] of [
      ['POST', SESSIONS],
      ['PATCH', `${SESSIONS}/${session.id}`],
      ['POST', TOKENS],
      ['PATCH', `${TOKENS}/${token}`],
      ['DELETE', `${TOKENS}/${token}`],
      ['DELETE', `${TOKENS}/db_delete/${token}`],
    ]) {
      const json = method === 'DELETE' ? undefined : { user_id: jo.id, token: 'x' }
      const { status } = await send(method, path, json)
      assert.include([404, 405], status, `${method} ${path}`)
    }
    assert.deepEqual(
      [await db.from('admin_sessions'), await db.from('admin_token_blacklist')],
      before
    )
    const { body } = await send('GET', `${TOKENS}/${token}`)
    assert.deepEqual(body, { id: token, token: 'a-jti', expires_at: '2099-01-01 00:00:00' })
  })
})
