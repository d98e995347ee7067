import { test } from '@japa/runner'
import { Secret } from '@adonisjs/core/helpers'
import { passwordHash as hash } from '#admin/authentication/passwords/password_hash'
import db from '@adonisjs/lucid/services/db'
import { AdminAccessToken, AdminSession, AdminUser } from '#admin'
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
import { captureLog } from '#tests/helpers/captured_log'
import { inMinutes } from '#tests/helpers/factors'
import { get, type HttpResponse } from '#tests/helpers/http'
import { textOf } from '#tests/helpers/list_page'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { makeRole, restoreRoles } from '#tests/helpers/roles'
import { issueToken } from '#tests/helpers/tokens'

const ACCOUNT = '/admin/account'
const NEW = 'battery staple'
const TOKEN = { token_name: 'ci', token_abilities: 'Reel:read', token_expires: '30 days' }

test.group('Admin | own password, sessions and tokens', (group) => {
  let kim: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await restoreRoles()
    kim = await makeUser('kim', { isSuperuser: false, roles: [] })
    cookie = await cookiesOf(kim)
    return () => restoreRoles()
  })

  const send = (path: string, fields: Record<string, string> = {}, as = cookie) =>
    sendForm(ACCOUNT + path, fields, { cookie: as })
  const page = async (as = cookie, path = ACCOUNT) => {
    const { text } = await get(path, { headers: { cookie: as, accept: 'text/html' } })
    return text
  }
  const change = (fields: Record<string, string> = {}, as = cookie) =>
    send(
      '/password',
      { current_password: PASSWORD, password: NEW, password_again: NEW, ...fields },
      as
    )
  const tokenIn = ({ text }: HttpResponse) => />(atr_[\w.-]+)<\/textarea>/.exec(text)?.[1]

  test('[U7, B7] a new password ends the other sessions; the current one continues with another id and token', async ({
    assert,
    cleanup,
  }) => {
    const log = captureLog(cleanup)
    const elsewhere = await cookiesOf(kim)
    const response = await change()
    assert.equal(response.status, 303)
    assert.equal(response.headers.get('location'), ACCOUNT)
    const after = cookiesFrom(response)
    assert.isTrue(await isSignedIn(after))
    assert.isFalse(await isSignedIn(elsewhere))
    assert.isFalse(await isSignedIn(cookie))
    assert.lengthOf(await AdminSession.query().where({ userId: kim.id, isActive: true }), 1)
    assert.include(await page(after), 'Your password was changed')
    const { hashedPassword } = await AdminUser.findOrFail(kim.id)
    assert.isTrue(await hash.verify(hashedPassword, NEW))
    const [event] = await db.from('admin_event_log').where('event_type', 'UPDATE')
    assert.containSubset(event, { username: 'kim', event_type: 'UPDATE' })
    assert.deepInclude(JSON.parse(event.details), { password_changed: true })
    const logged = JSON.stringify([
      await db.from('admin_event_log'),
      await db.from('admin_audit_log'),
    ])
    for (const secret of [NEW, PASSWORD, hashedPassword]) assert.notInclude(logged + log(), secret)
  }).tags(['@database'])

  test('[U7] a new password requires the current one, and without it no other error is shown', async ({
    assert,
  }) => {
    for (const fields of [
      { current_password: 'wrong horse' },
      { current_password: '' },
      { current_password: 'wrong horse', password: 'qzx', password_again: 'x' },
    ] as Array<Record<string, string>>) {
      const { status, text } = await change(fields)
      assert.equal(status, 422)
      assert.include(text, 'This is not your current password.')
      assert.notInclude(text, 'The two passwords differ')
      assert.notInclude(text, 'A password has')
      for (const typed of [...Object.values(fields), NEW]) {
        if (typed.length > 1) assert.notInclude(text, typed)
      }
    }
    assert.isTrue(await isSignedIn(cookie))
    assert.lengthOf(await db.from('admin_event_log').where('event_type', 'FAILED_LOGIN'), 3)
    const { hashedPassword } = await AdminUser.findOrFail(kim.id)
    assert.isTrue(await hash.verify(hashedPassword, PASSWORD))
  })

  test('[U7, B8] wrong guesses of the current password count as failed logins', async ({
    assert,
  }) => {
    for (let count = 0; count < 5; count++) await change({ current_password: 'wrong horse' })
    const throttled = await change()
    assert.equal(throttled.status, 429)
    assert.isAbove(Number(throttled.headers.get('retry-after')), 0)
    const entered = await login('kim')
    assert.equal(entered.status, 429)
  }).tags(['@database'])

  test('[U7, U13] an invalid password is refused, with the error at its field: {0}')
    .with([
      ['short', '8 characters at least'],
      ['x'.repeat(129), '128 characters at most'],
      ['password1', 'one of the most common ones'],
      ['Kim.20261123', 'The password is the user name'],
      ['Atrium-2026', 'The password is a name of this site'],
      [' with a space ', 'does not begin or end with a space'],
    ])
    .run(async ({ assert }, [password, message]) => {
      const { status, text } = await change({ password, password_again: password })
      assert.equal(status, 422)
      assert.include(textOf(text), message)
      assert.match(text, /id="new-password"[^>]*aria-invalid="true"/)
      assert.notInclude(text, `"${password}"`)
      const differs = await change({ password_again: `${NEW}!` })
      assert.equal(differs.status, 422)
      assert.include(differs.text, 'The two passwords differ.')
    })

  test('[U7] sessions are listed with device and address, the current one is marked, and one or all others can be ended', async ({
    assert,
  }) => {
    const other = await makeUser('lee', { isSuperuser: false, roles: [] })
    const foreign = await cookiesOf(other)
    const [first, second, third] = await Promise.all([
      cookiesOf(kim),
      cookiesOf(kim),
      cookiesOf(kim),
    ])
    const ids = await AdminSession.query().where('userId', kim.id).orderBy('id')
    await AdminSession.query()
      .where('id', ids[1].id)
      .update({ device_info: 'Firefox on <Linux>', ip_address: '192.0.2.7' })
    const text = await page()
    assert.include(text, 'Firefox on &lt;Linux&gt;')
    assert.include(text, '192.0.2.7')
    assert.lengthOf([...text.matchAll(/This session/g)], 1)
    assert.lengthOf([...text.matchAll(/action="\/admin\/account\/sessions\/end"/g)], 3)

    const own = ids.find(({ id }) => id === ids[0].id)!
    const theirs = await AdminSession.findByOrFail('userId', other.id)
    for (const id of [own.id, theirs.id, 0, 'x', '']) {
      const response = await send('/sessions/end', { id: String(id) })
      assert.equal(response.status, 303)
    }
    assert.isTrue((await isSignedIn(cookie)) && (await isSignedIn(foreign)))
    await send('/sessions/end', { id: String(ids[1].id) })
    const left = await AdminSession.query().where({ userId: kim.id, isActive: true })
    assert.notInclude(
      left.map(({ id }) => id),
      ids[1].id
    )
    assert.lengthOf(left, 3)

    await send('/sessions/end-others')
    for (const ended of [first, second, third]) assert.isFalse(await isSignedIn(ended))
    assert.isTrue((await isSignedIn(cookie)) && (await isSignedIn(foreign)))
    assert.notInclude(await page(), '/sessions/end')
    const { events } = await adminSite()
    await events.settle()
    const logged = await db.from('admin_event_log').where('event_type', 'LOGOUT').orderBy('id')
    assert.deepEqual(
      logged.map(({ details }) => JSON.parse(details)),
      [{ ended_sessions: 1 }, { ended_sessions: 2 }]
    )
  })

  test('[U7, U11] ending sessions requires a recent proof of identity', async ({ assert }) => {
    const other = await cookiesOf(kim)
    const { id } = await AdminSession.query()
      .where('userId', kim.id)
      .orderBy('id', 'desc')
      .firstOrFail()
    await inMinutes(11, async () => {
      for (const way of ['/sessions/end', '/sessions/end-others']) {
        const { status, headers } = await send(way, { id: String(id) })
        assert.equal(status, 303)
        const place = new URL(headers.get('location')!, 'http://x')
        assert.equal(place.pathname, '/admin/reauthenticate')
        assert.match(place.searchParams.get('next')!, /^\/admin\/account/)
      }
    })
    assert.isTrue((await isSignedIn(cookie)) && (await isSignedIn(other)))
  })

  test('[U7, U2] a role must name access tokens explicitly, and an entry for all models does not include them', async ({
    assert,
  }) => {
    await makeRole('Everywhere', { '*': { actions: ['*'] } })
    await makeRole('Program', { AdminAccessToken: { actions: ['create'] } })
    await makeRole('Other', { AdminAccessToken: { actions: ['view', 'delete'] } })
    for (const [name, roles, isAllowed] of [
      ['none', [], false],
      ['all', ['Everywhere'], false],
      ['other', ['Other'], false],
      ['program', ['Everywhere', 'Program'], true],
    ] as Array<[string, string[], boolean]>) {
      const as = await cookiesOf(await makeUser(name, { isSuperuser: false, roles }))
      const text = await page(as)
      assert.equal(text.includes('action="/admin/account/tokens"'), isAllowed, name)
      const response = await send('/tokens', TOKEN, as)
      assert.equal(response.status, isAllowed ? 200 : 403, name)
    }
    const boss = await cookiesOf(await makeUser('boss'))
    assert.include(await page(boss), 'action="/admin/account/tokens"')
    assert.lengthOf(await AdminAccessToken.all(), 1)
  })

  test('[U7, P10, U4] a user’s own token is shown once, belongs to that user, and allows no more than the user’s roles', async ({
    assert,
  }) => {
    await makeRole('Program', { AdminAccessToken: { actions: ['create'] } })
    const al = await makeUser('al', { isSuperuser: false, roles: ['Program'] })
    const as = await cookiesOf(al)
    const response = await send('/tokens', { ...TOKEN, user_id: String(kim.id) }, as)
    const token = tokenIn(response)!
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const stored = await AdminAccessToken.firstOrFail()
    assert.equal(stored.userId, al.id)
    const text = await page(as)
    assert.include(text, '>ci<')
    for (const secret of [token, stored.hash]) assert.notInclude(text, secret)
    const [event] = await db.from('admin_event_log').where('resource_type', 'AdminAccessToken')
    assert.containSubset(event, { event_type: 'CREATE', username: 'al' })
    const refused = await send('/tokens', { ...TOKEN, token_abilities: 'nothing' }, as)
    assert.equal(refused.status, 422)
    assert.include(refused.text, 'Unknown ability')
  })

  test('[U7] users can revoke their own tokens after a confirmation, and none of other users', async ({
    assert,
  }) => {
    const { id, token } = await issueToken(kim, ['Reel:*'], { name: '<b>' })
    const { id: theirs } = await issueToken(await makeUser('lee'))
    for (const path of [`/tokens/${theirs}/revoke`, '/tokens/0/revoke', '/tokens/x/revoke']) {
      const requested = await get(ACCOUNT + path, { headers: { cookie, accept: 'text/html' } })
      const sent = await send(path)
      assert.deepEqual([requested.status, sent.status], [404, 404])
    }
    const requested = await page(cookie, `${ACCOUNT}/tokens/${id}/revoke`)
    assert.include(requested, '&lt;b&gt;')
    assert.lengthOf(await AdminAccessToken.all(), 2)
    const done = await send(`/tokens/${id}/revoke`)
    assert.equal(done.headers.get('location'), `${ACCOUNT}#tokens`)
    assert.isNull(await AdminAccessToken.find(id))
    const { accessTokens } = await adminSite()
    assert.isNull(await accessTokens.find(new Secret(token)))
  }).tags(['@database'])

  test('[U7, B9] cross-site requests, unauthenticated clients and superusers viewing as a role change nothing', async ({
    assert,
  }) => {
    const { id } = await issueToken(kim)
    const doors = ['/password', '/sessions/end', '/sessions/end-others', '/tokens', '/notices']
    for (const door of [...doors, `/tokens/${id}/revoke`]) {
      const crossing = await sendForm(ACCOUNT + door, TOKEN, {
        cookie,
        'sec-fetch-site': 'cross-site',
      })
      assert.equal(crossing.status, 403, door)
      const stranger = await sendForm(ACCOUNT + door, TOKEN)
      assert.match(stranger.headers.get('location')!, /^\/admin\/login/, door)
      const json = await get(ACCOUNT + door, { headers: { cookie } })
      assert.isTrue([404, 405, 200].includes(json.status), door)
    }
    assert.lengthOf(await AdminAccessToken.all(), 1)
  })
})
