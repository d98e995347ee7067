import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { decodeJwt } from 'jose'
import { DateTime } from 'luxon'
import type { AdminUser } from '#admin'
import {
  agedCookiesOf,
  cookieIn,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  makeUser,
  receivedCookies,
} from '#tests/helpers/admin'
import { get, urlOf } from '#tests/helpers/http'

async function logout(cookie: string, headers: Record<string, string> = {}) {
  return await get('/admin/logout', { headers: { cookie, ...headers } })
}

async function revokedTokens(): Promise<string[]> {
  const rows = await db.from('admin_token_blacklist')
  return rows.map((row) => row.token)
}

function idOfToken(cookie: string): string {
  return decodeJwt(cookieIn(cookie, 'access_token')).jti!
}

test.group('Admin | logout', (group) => {
  let jo: AdminUser

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
  })

  test('[S23, B5] a logout redirects to the login page, and the cookies become invalid', async ({
    assert,
  }) => {
    const cookie = await cookiesOf(jo)
    assert.isTrue(await isSignedIn(cookie))
    const { status, headers } = await logout(cookie)
    assert.equal(status, 303)
    assert.equal(headers.get('location'), '/admin/login')
    assert.isFalse(await isSignedIn(cookie))
    const again = await logout(cookie)
    assert.match(again.headers.get('location')!, /^\/admin\/login\?error=ended/)
  })

  test('[B5] a logout tells the browser to drop its cache, but not the stored data of other applications', async ({
    assert,
  }) => {
    const cookie = await cookiesOf(jo)
    const requested = await logout(cookie, { 'sec-fetch-site': 'cross-site' })
    assert.isNull(requested.headers.get('clear-site-data'))
    const { headers } = await logout(cookie)
    assert.equal(headers.get('clear-site-data'), '"cache"')
  })

  test('[S23, B5] a logout clears both cookies on the path for which they were set', async ({
    assert,
  }) => {
    const cookies = receivedCookies(await logout(await cookiesOf(jo)))
    assert.sameMembers(Object.keys(cookies), ['access_token', 'session_id'])
    for (const { value, attributes } of Object.values(cookies)) {
      assert.equal(value, '')
      assert.includeMembers(attributes, ['path=/admin', 'expires=thu, 01 jan 1970 00:00:00 gmt'])
      assert.isEmpty(attributes.filter((one) => /^max-age=[1-9]/.test(one)))
    }
  })

  test('[B5] a token due for renewal is not renewed at the logout', async ({ assert }) => {
    const response = await logout(await agedCookiesOf(jo, { minutes: 10 }))
    assert.equal(receivedCookies(response).access_token.value, '')
  })

  test('[B5] a logout ends its session, and the user’s other sessions continue', async ({
    assert,
  }) => {
    const left = await cookiesOf(jo)
    const stays = await cookiesOf(jo)
    const others = await cookiesOf(await makeUser('al'))
    await logout(left)
    assert.isFalse(await isSignedIn(left))
    assert.isTrue(await isSignedIn(stays))
    assert.isTrue(await isSignedIn(others))
    const active = await db.from('admin_sessions').where('is_active', true)
    assert.lengthOf(active, 2)
  })

  test('[S23, B5] the token of an ended session stays revoked until it expires', async ({
    assert,
  }) => {
    const cookie = await cookiesOf(jo)
    const stays = await cookiesOf(jo)
    await logout(cookie)
    const rows = await db.from('admin_token_blacklist')
    assert.lengthOf(rows, 1)
    assert.equal(rows[0].token, idOfToken(cookie))
    const { exp } = decodeJwt(cookieIn(cookie, 'access_token'))
    assert.equal(DateTime.fromSQL(rows[0].expires_at, { zone: 'utc' }).toSeconds(), exp)
    assert.notInclude(await revokedTokens(), idOfToken(stays))
  })

  test('[B5] a logout also revokes tokens that were issued for the session in the meantime', async ({
    assert,
  }) => {
    const cookie = await agedCookiesOf(jo, { minutes: 10 })
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => get('/admin/dashboard-content', { headers: { cookie } }))
    )
    const renewed = responses.map((response) => receivedCookies(response).access_token.value)
    const id = `session_id=${cookieIn(cookie, 'session_id')}`
    await logout(`access_token=${renewed[0]}; ${id}`)

    const expected = [...renewed.map((token) => decodeJwt(token).jti!), idOfToken(cookie)]
    assert.sameMembers(await revokedTokens(), expected)
    for (const token of renewed) assert.isFalse(await isSignedIn(`access_token=${token}; ${id}`))
  })

  test('[B5] opening the logout link on the site, or typing its URL, logs out immediately', async ({
    assert,
  }) => {
    for (const site of ['same-origin', 'none']) {
      const cookie = await cookiesOf(jo)
      const { status } = await logout(cookie, { 'sec-fetch-site': site })
      assert.equal(status, 303)
      assert.isFalse(await isSignedIn(cookie), site)
    }
    const page = await get('/admin', { headers: { cookie: await cookiesOf(jo) } })
    assert.match(page.text, /<a [^>]*href="\/admin\/logout"/)
  })

  test('[B5] a cross-site link asks for confirmation and ends no session')
    .with([
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://evil.test' },
      { referer: 'http://evil.test/admin/' },
      { referer: 'http://localhost/admin/' },
      { referer: 'no address' },
    ] as Array<Record<string, string>>)
    .run(async ({ assert }, foreign) => {
      const cookie = await cookiesOf(jo)
      const response = await logout(cookie, foreign)
      assert.equal(response.status, 200)
      assert.include(response.text, '<title>Log out?')
      assert.isEmpty(response.headers.getSetCookie())
      assert.isEmpty(await revokedTokens())
      assert.isTrue(await isSignedIn(cookie))

      /* A confirmation in the query string of a cross-site link does not count. */
      const [, confirm] = /href="([^"]*confirm[^"]*)"/.exec(response.text)!
      await get(confirm, { headers: { cookie, ...foreign } })
      assert.isTrue(await isSignedIn(cookie))
      const confirmed = await get(confirm, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
      assert.equal(confirmed.status, 303)
      assert.isFalse(await isSignedIn(cookie))
    })

  test('[B5] the logout link is accepted from a browser that sends only the Referer header', async ({
    assert,
  }) => {
    for (const headers of [
      { referer: urlOf('/admin') },
      { 'referer': 'http://evil.test/', 'sec-fetch-site': 'same-origin' },
    ] as Array<Record<string, string>>) {
      const cookie = await cookiesOf(jo)
      const { status } = await logout(cookie, headers)
      assert.equal(status, 303)
      assert.isFalse(await isSignedIn(cookie))
    }
  })

  test("[S25] an anonymous request can't log out", async ({ assert }) => {
    const { status, headers } = await get('/admin/logout')
    assert.equal(status, 303)
    assert.equal(headers.get('location'), '/admin/login?error=required')
  })
})
