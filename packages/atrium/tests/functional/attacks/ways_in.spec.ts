/* Attacks on all ways into the site and on the pages of accounts, next to the login form (admin/attacks.spec.ts). */
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import { passwordHash as hash } from '#admin/authentication/passwords/password_hash'
import db from '@adonisjs/lucid/services/db'
import { engineRouter } from '#base/http/engine_router'
import type { AdminUser } from '#admin'
import { NO_PASSWORD } from '#admin/authentication/passwords/password_rules'
import {
  adminSite,
  callRaw,
  cookieIn,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  login,
  makeUser,
  PASSWORD,
  receivedCookies,
  sendForm,
} from '#tests/helpers/admin'
import { codeOf, giveFactor } from '#tests/helpers/factors'
import { get, type HttpResponse } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { OidcServer, SsoBrowser, useSso } from '#tests/helpers/oidc_provider'
import { givePasskey, optionsOf } from '#tests/helpers/passkeys'
import { queriesOf } from '#tests/helpers/queries'

const MARKUP = `'"><xss {{7**9}}//`
const SECOND = '/admin/login/second'
const LOGIN = '/admin/login/passkey'
const ELSEWHERE = ['//evil.test', 'https://evil.test/', '/\\evil.test', '/admin/../..//evil.test']

const locationOf = ({ headers }: HttpResponse) => headers.get('location')

test.group('Attacks | login methods', (group) => {
  const server = new OidcServer()
  let issuer: string
  let jo: AdminUser
  let planted: string
  let stop: () => void

  group.setup(() => fakeHashes())
  group.setup(async () => {
    issuer = await server.start(new URL(app.config.get<string>('app.appUrl')).origin)
    return () => server.stop()
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    jo = await makeUser('jo')
    planted = await cookiesOf(await makeUser('mallory', { isSuperuser: false, roles: [] }))
    stop = await useSso({ issuer })
    return async () => {
      stop()
      await emptyEventTables()
    }
  })

  /** Each way in, in a browser with these cookies, to a page. */
  const WAYS: Record<string, (cookie: string, next?: string) => Promise<HttpResponse>> = {
    'second step': async (cookie, next = '') => {
      const { code } = await giveFactor(jo)
      const first = await login('jo', PASSWORD, { headers: { cookie } })
      return await sendForm(SECOND, { code: code(), next }, { cookie: joined(cookie, first) })
    },
    'recovery code': async (cookie, next = '') => {
      const { recoveryCodes } = await giveFactor(jo)
      const first = await login('jo', PASSWORD, { headers: { cookie } })
      const sent = { recovery_code: recoveryCodes[0], next }
      return await sendForm(SECOND, sent, { cookie: joined(cookie, first) })
    },
    'passkey': async (cookie, next = '') => {
      const key = await givePasskey(await cookiesOf(jo))
      const requested = await optionsOf(LOGIN, cookie)
      const sent = { passkey: key.response(requested.options), next }
      return await sendForm(LOGIN, sent, { cookie: requested.cookie })
    },
    'single sign-on': async (cookie, next = '') => {
      const site = await adminSite()
      await site.sso!.identities.link(jo.id, { issuer, subject: 'kim' })
      /* Who is signed in is not led to the provider. */
      const id = cookieIn(cookie, 'session_id')
      const query = new URLSearchParams({ next })
      return await new SsoBrowser(`session_id=${id}`).logIn(`/admin/login/sso?${query}`)
    },
  }

  test('[B7, B4] no login method reuses a session that was planted before: {$self}')
    .with(Object.keys(WAYS))
    .run(async ({ assert }, way) => {
      const response = await WAYS[way](planted)
      assert.equal(response.status, 303)
      const own = cookiesFrom(response)
      for (const name of ['session_id', 'access_token']) {
        assert.notEqual(cookieIn(own, name), cookieIn(planted, name))
      }
      const page = await get('/admin', { headers: { cookie: own } })
      assert.include(page.text, 'Logged in as jo')
      assert.isFalse(await isSignedIn(planted))
      const old = `access_token=${cookieIn(own, 'access_token')}; session_id=${cookieIn(planted, 'session_id')}`
      assert.isFalse(await isSignedIn(old))
    })

  test('[B3] no login method redirects to another site: {$self}')
    .with(Object.keys(WAYS))
    .run(async ({ assert }, way) => {
      for (const next of ELSEWHERE) {
        await db.from('admin_factors').delete()
        await db.from('admin_sso_identities').delete()
        assert.equal(locationOf(await WAYS[way](planted, next)), '/admin', next)
      }
    })

  test('[B3] no form of the account page redirects to another site', async ({ assert }) => {
    const cookie = await cookiesOf(jo)
    for (const next of ELSEWHERE) {
      for (const [path, fields] of [
        ['/admin/account/preferences', { density: 'compact' }],
        ['/admin/account/notices', { last: '1' }],
        ['/admin/theme', { theme: 'dark-theme' }],
      ] as Array<[string, Record<string, string>]>) {
        const place = locationOf(await sendForm(path, { ...fields, next }, { cookie }))
        assert.match(place!, /^\/admin(\/account)?$/, `${path} ${next}`)
      }
    }
  })

  test('[B9] every form of the site refuses cross-site requests', async ({ assert }) => {
    const cookie = await cookiesOf(jo)
    const own =
      /^\/admin\/(Admin\w+|account|login|reauthenticate|invitation|management|sign-in-as|theme)(\/|$)/
    const routes = Object.values(engineRouter().toJSON())
      .flat()
      .filter(({ pattern }) => own.test(pattern))
      .flatMap(({ methods, pattern }) => methods.map((method) => ({ method, pattern })))
      .filter(({ method }) => !['GET', 'HEAD'].includes(method))
    assert.isAbove(routes.length, 60)
    for (const { method, pattern } of routes) {
      const path = pattern.replace(/:\w+\??|\*/g, '1')
      const response = await callRaw(method, path, { cookie, 'sec-fetch-site': 'cross-site' })
      assert.equal(response.status, 403, `${method} ${path}`)
      assert.isUndefined(response.headers['set-cookie'], path)
    }
    assert.isTrue(await isSignedIn(cookie))
  }).timeout(60_000)

  test('[B10] pages with secrets are not cached or framed', async ({ assert }) => {
    const cookie = await cookiesOf(jo)
    const setUp = await get('/admin/account/factors/totp', { headers: { cookie } })
    const setup = /name="setup" value="([^"]+)"/.exec(setUp.text)![1]
    const secret = /class="setup-secret">([^<]+)</.exec(setUp.text)![1].replaceAll(' ', '')
    const fields = { setup, code: codeOf(secret) }
    const codes = await sendForm('/admin/account/factors/totp', fields, { cookie })
    const kim = await makeUser('kim', { isSuperuser: false })
    const invite = await sendForm(`/admin/AdminUser/invite/${kim.id}`, {}, { cookie })
    const path = /\/admin\/invitation\/[\w-]{43}/.exec(invite.text)![0]
    const terms = { token_name: 'ci', token_abilities: 'Utensil:read', token_expires: '30 days' }
    const requested = await optionsOf('/admin/account/factors/passkeys', cookie)
    const pages = {
      setUp,
      codes,
      invite,
      invitation: await get(path),
      renewed: await sendForm('/admin/account/factors/recovery-codes', {}, { cookie }),
      token: await sendForm('/admin/account/tokens', terms, { cookie }),
      account: await get('/admin/account', { headers: { cookie } }),
      options: requested.response,
      second: await get(SECOND, { headers: { cookie: cookiesFrom(await login('jo')) } }),
    }
    for (const [name, { status, headers }] of Object.entries(pages)) {
      assert.equal(status, 200, name)
      assert.equal(headers.get('cache-control'), 'no-store', name)
      assert.equal(headers.get('x-frame-options'), 'DENY', name)
      assert.include(headers.get('content-security-policy')!, "frame-ancestors 'none'", name)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', name)
    }
    assert.match(pages.token.text, /atr_/)
    assert.match(pages.renewed.text, /<li><code>/)
  })

  test('[B23, U9] names of passkeys and devices, and user names from the provider, are escaped', async ({
    assert,
  }) => {
    const cookie = await cookiesOf(jo)
    await givePasskey(cookie, MARKUP)
    const site = await adminSite()
    await site.sso!.identities.link(jo.id, { issuer, subject: MARKUP })
    const headers = { 'user-agent': MARKUP }
    await login(MARKUP, 'wrong', { headers })
    await db.from('admin_sessions').update({ device_info: MARKUP, user_agent: MARKUP })
    const { id } = await db.from('admin_factors').where('user_id', jo.id).firstOrFail()
    await site.events.settle()
    let told = 0
    for (const path of [
      '/admin/account',
      `/admin/account/factors/${id}/name`,
      `/admin/account/factors/${id}/remove`,
      `/admin/AdminUser/update/${jo.id}`,
      '/admin/AdminSession/',
      '/admin/management/events',
    ]) {
      const { status, text } = await get(path, { headers: { cookie } })
      assert.equal(status, 200, path)
      assert.notInclude(text, '<xss', path)
      assert.notInclude(text, '40353607', path)
      if (text.includes('&lt;xss')) told++
    }
    assert.equal(told, 6)
  })

  test('[U9, B3] the options for logging in with a passkey reveal nothing about users', async ({
    assert,
  }) => {
    const key = await givePasskey(await cookiesOf(jo))
    for (const username of ['jo', 'nobody']) {
      const response = await sendForm(
        `${LOGIN}/options`,
        { username },
        { accept: 'application/json' }
      )
      assert.equal(response.status, 200)
      assert.isEmpty(response.body.allowCredentials)
      assert.notInclude(response.text, key.id)
    }
    const stranger = await optionsOf(SECOND)
    assert.equal(stranger.response.status, 401)
    const other = await makeUser('al')
    await givePasskey(await cookiesOf(other))
    const requested = await optionsOf(SECOND, cookiesFrom(await login('jo')))
    assert.deepEqual(
      requested.options.allowCredentials.map(({ id }: { id: string }) => id),
      [key.id]
    )
  })

  test('[B3, U8] a failed login compares as many hashes and runs as many queries for every user name', async ({
    assert,
    cleanup,
  }) => {
    await giveFactor(await makeUser('coded'))
    await makeUser('invited')
    await db
      .from('admin_users')
      .where('username', 'invited')
      .update({ hashed_password: NO_PASSWORD })
    const { events } = await adminSite()
    let verified = 0
    const original = hash.verify
    cleanup(() => void (hash.verify = original))
    hash.verify = (hashed: string, plain: string) => {
      verified++
      return original.call(hash, hashed, plain)
    }
    const workOf = async (username: string) => {
      await db.from('admin_rate_limits').delete()
      verified = 0
      let response: HttpResponse | undefined
      const queries = await queriesOf(async () => {
        response = await login(username, 'a wrong password')
        await events.settle()
      })
      assert.equal(response!.status, 401)
      assert.isEmpty(receivedCookies(response!))
      return { verified, queries }
    }
    await workOf('nobody')
    const expected = await workOf('nobody')
    assert.equal(expected.verified, 1)
    for (const username of ['jo', 'coded', 'invited', 'mallory', 'nobody-else']) {
      assert.deepEqual(await workOf(username), expected, username)
    }
    /* The second step requires the right password, for any user name. */
    const responses = await Promise.all(
      ['coded', 'nobody'].map((username) => sendForm(SECOND, { username, code: '123456' }))
    )
    for (const response of responses)
      assert.equal(locationOf(response), '/admin/login?error=required')
  })
})

/** The cookies of a browser after the response. */
function joined(cookie: string, response: HttpResponse): string {
  return `${cookie}; ${cookiesFrom(response)}`
}
