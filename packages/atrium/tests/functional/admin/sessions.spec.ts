import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { decodeJwt } from 'jose'
import { DateTime } from 'luxon'
import type { AdminUser } from '#admin'
import { digest } from '#base/values/digest'
import {
  adminSite,
  agedCookiesOf,
  ageSessions,
  cookieIn,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  login,
  makeUser,
  receivedCookies,
} from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { withoutForeignKeys } from '#tests/helpers/databases'

/** A `Cookie` header with the token of one session and the id of another. */
function mixed(token: string, session: string): string {
  return `access_token=${cookieIn(token, 'access_token')}; session_id=${cookieIn(session, 'session_id')}`
}

async function revoke(cookie: string) {
  const { jti, exp } = decodeJwt(cookieIn(cookie, 'access_token'))
  await db.table('admin_token_blacklist').insert({
    token: jti,
    expires_at: DateTime.fromSeconds(exp!, { zone: 'utc' }).toFormat('yyyy-MM-dd HH:mm:ss'),
  })
}

test.group('Admin | combinations of cookies', (group) => {
  let jo: AdminUser
  let al: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
    al = await makeUser('al')
    cookie = await cookiesOf(jo)
  })

  test('[B4] a token and a session that belong together are accepted', async ({ assert }) => {
    assert.isTrue(await isSignedIn(cookie))
    assert.isTrue(await isSignedIn(cookie.split('; ').reverse().join('; ')))
  })

  test('[B7] background polling by an open page does not count as activity', async ({ assert }) => {
    const old = '2001-02-03 04:05:06'
    const recent = DateTime.utc().minus({ minutes: 10 }).toFormat('yyyy-MM-dd HH:mm:ss')
    await db.from('admin_sessions').update({ last_activity: recent })
    await get('/admin/dashboard-content?poll=1', { headers: { cookie } })
    const [polled] = await db.from('admin_sessions')
    assert.equal(polled.last_activity, recent)

    await get('/admin/dashboard-content', { headers: { cookie } })
    const [requested] = await db.from('admin_sessions')
    assert.isAbove(Date.parse(requested.last_activity), Date.parse(recent))

    await db.from('admin_sessions').update({ last_activity: old })
    const late = await get('/admin/dashboard-content?poll=1', {
      headers: { cookie, 'hx-request': 'true' },
    })
    assert.equal(late.status, 401)
  })

  test('[B4] a token or a session alone is refused', async ({ assert }) => {
    for (const part of cookie.split('; ')) assert.isFalse(await isSignedIn(part), part)
    for (const name of ['access_token', 'session_id']) {
      assert.isFalse(await isSignedIn(cookie.replace(cookieIn(cookie, name), '')), name)
    }
  })

  test('[B4] a token in a header, a query or a body instead of the cookie is refused', async ({
    assert,
  }) => {
    const token = cookieIn(cookie, 'access_token')
    const id = cookieIn(cookie, 'session_id')
    const bearer = { 'authorization': `Bearer ${token}`, 'x-session-id': id }
    const byHeader = await get('/admin', { headers: bearer })
    const byQuery = await get(`/admin?access_token=${token}&session_id=${id}`)
    assert.deepEqual([byHeader.status, byQuery.status], [303, 303])
  })

  test('[B4] another user’s token together with one’s own session is refused', async ({
    assert,
  }) => {
    const others = await cookiesOf(al)
    assert.isFalse(await isSignedIn(mixed(others, cookie)))
    assert.isFalse(await isSignedIn(mixed(cookie, others)))
  })

  test('[B4] a token of another session of the same user is refused', async ({ assert }) => {
    const second = await cookiesOf(jo)
    assert.isFalse(await isSignedIn(mixed(second, cookie)))
    assert.isFalse(await isSignedIn(mixed(cookie, second)))
  })

  test('[B4] a token for this session but another user is refused', async ({ assert }) => {
    const { adminAuthentication } = await adminSite()
    const id = cookieIn(cookie, 'session_id')
    const { token } = await adminAuthentication.tokens.issue(al.id, digest(id))
    assert.isFalse(await isSignedIn(`access_token=${token}; session_id=${id}`))
    const { token: own } = await adminAuthentication.tokens.issue(jo.id, digest(id))
    assert.isTrue(await isSignedIn(`access_token=${own}; session_id=${id}`))
  })

  test('[B4, B12] the stored hash of a session id is not accepted as a cookie', async ({
    assert,
  }) => {
    const { session_id: stored } = await db.from('admin_sessions').firstOrFail()
    const token = cookieIn(cookie, 'access_token')
    assert.isFalse(await isSignedIn(`access_token=${token}; session_id=${stored}`))
  })

  test('[B4] an inactive session is refused', async ({ assert }) => {
    await db.from('admin_sessions').update({ is_active: false })
    assert.isFalse(await isSignedIn(cookie))
  })

  test('[B4] a revoked token is refused although the session is active', async ({ assert }) => {
    await revoke(cookie)
    assert.isFalse(await isSignedIn(cookie))
  })

  test('[B4] the cookies of a deleted user are refused', async ({ assert }) => {
    await db.from('admin_users').where('id', jo.id).delete()
    assert.isFalse(await isSignedIn(cookie))
  })

  test('[B4] a session that outlived its user is refused', async ({ assert }) => {
    await withoutForeignKeys((client) => client.from('admin_users').where('id', jo.id).delete())
    assert.lengthOf(await db.from('admin_sessions'), 1)
    const response = await get('/admin', { headers: { cookie } })
    assert.equal(response.status, 303)
  })

  test('[B4] an expired token is refused although the session is active', async ({ assert }) => {
    const old = await agedCookiesOf(jo, { minutes: 31 })
    await db.from('admin_sessions').update({ last_activity: '2999-01-01 00:00:00' })
    assert.isTrue(await isSignedIn(cookie))
    assert.isFalse(await isSignedIn(old))
  })
})

test.group('Admin | lifetime of a session', (group) => {
  let jo: AdminUser

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
  })

  test('[B7] a session ends after 30 minutes without a request', async ({ assert }) => {
    const cookie = await cookiesOf(jo)
    await ageSessions(jo, 'last_activity', { minutes: 29 })
    assert.isTrue(await isSignedIn(cookie))
    await ageSessions(jo, 'last_activity', { minutes: 31 })
    assert.isFalse(await isSignedIn(cookie))
  })

  test('[B7] every request restarts the idle time', async ({ assert }) => {
    const cookie = await cookiesOf(jo)
    await ageSessions(jo, 'last_activity', { minutes: 20 })
    await isSignedIn(cookie)
    const { last_activity: last } = await db.from('admin_sessions').firstOrFail()
    const seconds = -DateTime.fromSQL(last, { zone: 'utc' }).diffNow('seconds').seconds
    assert.isBelow(seconds, 10)
  })

  test('[B4, B7] a token in use is renewed', async ({ assert }) => {
    const cookie = await agedCookiesOf(jo, { minutes: 10 })
    const response = await get('/admin', { headers: { cookie } })
    const { access_token: token, ...others } = receivedCookies(response)
    assert.isEmpty(others)
    assert.deepEqual(token.attributes, ['max-age=1800', 'path=/admin', 'httponly', 'samesite=lax'])

    const [before, after] = [cookieIn(cookie, 'access_token'), token.value].map((jwt) =>
      decodeJwt(jwt)
    )
    assert.isAbove(after.exp!, before.exp! + 9 * 60)
    assert.notEqual(after.jti, before.jti)
    assert.equal(after.sid, before.sid)
    const session = `session_id=${cookieIn(cookie, 'session_id')}`
    assert.isTrue(await isSignedIn(`access_token=${token.value}; ${session}`))
  })

  test('[B4] a new token is not renewed', async ({ assert }) => {
    const { headers } = await get('/admin', { headers: { cookie: await cookiesOf(jo) } })
    assert.isEmpty(headers.getSetCookie())
  })

  test('[B4] a revoked token is not renewed by a request', async ({ assert }) => {
    const cookie = await agedCookiesOf(jo, { minutes: 10 })
    await revoke(cookie)
    const response = await get('/admin', { headers: { cookie } })
    assert.equal(response.status, 303)
    assert.equal(receivedCookies(response).access_token.value, '')
  })

  test('[B7] the sixth session of a user ends the oldest one', async ({ assert }) => {
    const cookies: string[] = []
    for (let i = 0; i < 6; i++) cookies.push(cookiesFrom(await login('jo')))
    const states = await Promise.all(cookies.map((cookie) => isSignedIn(cookie)))
    assert.deepEqual(states, [false, true, true, true, true, true])
  })

  test('[B7] concurrent logins do not exceed the limit', async ({ assert }) => {
    await Promise.all(Array.from({ length: 5 }, () => login('jo')))
    await Promise.all(Array.from({ length: 4 }, () => login('jo')))
    const active = await db.from('admin_sessions').where('is_active', true)
    assert.lengthOf(active, 5)
  })

  test('[B7] a login removes the rows of ended sessions', async ({ assert }) => {
    await cookiesOf(jo)
    await ageSessions(jo, 'last_activity', { minutes: 31 })
    await login('jo')
    assert.lengthOf(await db.from('admin_sessions'), 1)
  })
})
