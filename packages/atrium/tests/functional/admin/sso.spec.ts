import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { AdminUser } from '#admin'
import AdminSsoIdentity from '#admin/models/admin_sso_identity'
import {
  adminSite,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  login,
  makeUser,
  receivedCookies,
  sendForm,
} from '#tests/helpers/admin'
import { captureLog } from '#tests/helpers/captured_log'
import { giveFactor, inMinutes, requireFactors } from '#tests/helpers/factors'
import { get, statusOf, type HttpResponse } from '#tests/helpers/http'
import AdminEventLog from '#admin/models/admin_event_log'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { CLIENT_SECRET, OidcServer, SsoBrowser, useSso } from '#tests/helpers/oidc_provider'
import type { SsoInput } from '#admin/config/sso_config'

const START = '/admin/login/sso'

async function loggedEvents(): Promise<AdminEventLog[]> {
  const { events } = await adminSite()
  await events.settle()
  return await AdminEventLog.query().orderBy('id')
}

const locationOf = ({ headers }: HttpResponse) => headers.get('location')
const refusal = (response: HttpResponse) =>
  new URL(locationOf(response)!, 'http://x').searchParams.get('error')

test.group('Admin | single sign-on', (group) => {
  const server = new OidcServer()
  let issuer: string
  let stop: () => void = () => {}

  async function use(input: Partial<SsoInput> = {}) {
    stop()
    stop = await useSso({ issuer, ...input })
  }

  async function link(username: string, sub = 'kim') {
    const site = await adminSite()
    const user = await makeUser(username, { isSuperuser: false })
    await site.sso!.identities.link(user.id, { issuer, subject: sub })
    await emptyEventTables()
    return user
  }

  async function rolesOf(user: AdminUser) {
    await user.load('roles')
    return user.roles.map(({ name }) => name).sort()
  }

  group.setup(() => fakeHashes())
  group.setup(async () => {
    issuer = await server.start(new URL(app.config.get<string>('app.appUrl')).origin)
    return () => server.stop()
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    server.behaviour.person = { sub: 'kim', preferred_username: 'kim' }
    server.behaviour.refuses = false
    server.behaviour.changeToken = undefined
    await use()
    return () => stop()
  })

  test('[U15] a linked user logs in through the provider, and is redirected to the requested page', async ({
    assert,
    cleanup,
  }) => {
    const lines = captureLog(cleanup)
    const user = await link('jo')
    const browser = new SsoBrowser()
    const begun = await browser.visit(`${START}?next=%2Fadmin%2Faccount`)
    assert.equal(begun.status, 303)
    const requested = new URL(locationOf(begun)!)
    assert.equal(requested.origin, issuer)
    const appUrl = new URL(app.config.get<string>('app.appUrl')).origin
    assert.containsSubset(Object.fromEntries(requested.searchParams), {
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${appUrl}${START}/callback`,
      scope: 'openid profile email',
    })
    const { sso_step: step } = receivedCookies(begun)
    assert.includeMembers(step.attributes, [
      'httponly',
      'samesite=lax',
      `path=${START}`,
      'max-age=600',
    ])
    for (const name of ['state', 'nonce']) {
      assert.notInclude(step.value, requested.searchParams.get(name)!)
      assert.isAtLeast(requested.searchParams.get(name)!.length, 40)
    }

    const done = await browser.logIn(`${START}?next=%2Fadmin%2Faccount`)
    assert.equal(done.status, 303)
    assert.equal(locationOf(done), '/admin/account')
    assert.equal(receivedCookies(done).sso_step.value, '')
    assert.isTrue(await isSignedIn(cookiesFrom(done)))
    const [event] = await loggedEvents()
    assert.containsSubset(event.$attributes, {
      eventType: 'LOGIN',
      userId: user.id,
      details: { method: 'sso' },
    })
    const stored = JSON.stringify([await db.from('admin_sessions'), await loggedEvents(), lines()])
    assert.notMatch(stored, /eyJ[\w-]+\.eyJ/)
    assert.notInclude(stored, CLIENT_SECRET)
  })

  test('[U15] a response with a wrong state, issuer, nonce or code does not log in', async ({
    assert,
  }) => {
    await link('jo')
    const changed = async (change: (query: URLSearchParams) => void) => {
      const browser = new SsoBrowser()
      const url = new URL(await browser.walk(), 'http://x')
      change(url.searchParams)
      return await browser.visit(url.pathname + url.search)
    }
    for (const change of [
      (query: URLSearchParams) => query.set('state', 'x'.repeat(43)),
      (query: URLSearchParams) => query.delete('state'),
      (query: URLSearchParams) => query.set('iss', 'https://other.example'),
      (query: URLSearchParams) => query.delete('iss'),
      (query: URLSearchParams) => query.set('code', 'x'.repeat(43)),
      (query: URLSearchParams) => query.append('code', 'y'),
    ]) {
      const response = await changed(change)
      assert.equal(refusal(response), 'sso_failed', change.toString())
      assert.notProperty(receivedCookies(response), 'session_id')
    }
    for (const name of ['nonce', 'code_challenge']) {
      const browser = new SsoBrowser()
      const back = await browser.walk(START, (url) => url.searchParams.set(name, 'z'.repeat(43)))
      assert.equal(refusal(await browser.visit(back)), 'sso_failed', name)
    }
    assert.isEmpty(await db.from('admin_sessions'))
    const events = await loggedEvents()
    assert.isTrue(events.every(({ eventType }) => eventType === 'FAILED_LOGIN'))
    assert.lengthOf(events, 8)
  })

  test('[U15] an ID token that the provider did not sign, or that is for another audience, is refused', async ({
    assert,
  }) => {
    await link('jo')
    const withClaims = (change: object, header?: object) => (token: string) => {
      const [head, body, signature] = token.split('.')
      const claims = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), ...change }
      const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      return header
        ? `${encoded(header)}.${encoded(claims)}.`
        : `${head}.${encoded(claims)}.${signature}`
    }
    for (const changeToken of [
      withClaims({}, { alg: 'none' }),
      withClaims({ sub: 'sam' }),
      withClaims({ iss: 'https://other.example' }),
      withClaims({ aud: 'other' }),
      withClaims({ exp: 1 }),
    ]) {
      server.behaviour.changeToken = changeToken
      assert.equal(refusal(await new SsoBrowser().logIn()), 'sso_failed')
    }
  })

  test('[U15] a callback of the provider is valid once, in the browser that started the login, for ten minutes', async ({
    assert,
  }) => {
    await link('jo')
    const browser = new SsoBrowser()
    const back = await browser.walk()
    const { cookies } = browser
    const other = new SsoBrowser()
    await other.walk()
    assert.equal(refusal(await other.visit(back)), 'sso_failed')
    assert.equal(refusal(await new SsoBrowser().visit(back)), 'sso_again')

    assert.equal(locationOf(await browser.visit(back)), '/admin')
    assert.equal(refusal(await new SsoBrowser(cookies).visit(back)), 'sso_again')

    const late = new SsoBrowser()
    const path = await late.walk()
    assert.equal(refusal(await inMinutes(11, () => late.visit(path))), 'sso_again')
  })

  test('[U15] a cross-site link starts no session, and redirects to the login', async ({
    assert,
  }) => {
    await link('jo')
    const browser = new SsoBrowser()
    await browser.logIn()
    const again = new SsoBrowser()
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    const response = await again.visit(`${START}?next=%2Fadmin%2Faccount`, headers)
    assert.equal(locationOf(response), '/admin/login?error=required&next=%2Fadmin%2Faccount')
    assert.notProperty(receivedCookies(response), 'sso_step')
    const own = await again.visit(START, { ...headers, 'sec-fetch-site': 'same-origin' })
    assert.equal(new URL(locationOf(own)!).origin, issuer)
  })

  test('[U15, U11] a login without a new prompt at the provider is not a recent proof of identity', async ({
    assert,
  }) => {
    await link('jo')
    const guarded = async (browser: SsoBrowser) => {
      const response = await browser.visit('/admin/account/factors/totp')
      return locationOf(response)?.split('?')[0] ?? response.status
    }
    const browser = new SsoBrowser()
    await browser.logIn()
    assert.equal(await guarded(browser), 200)
    await inMinutes(31, async () => {
      assert.equal(locationOf(await browser.logIn()), '/admin')
      assert.equal(await guarded(browser), '/admin/reauthenticate')
      const way = `${START}?for=proof&next=%2Fadmin%2Faccount`
      assert.equal(locationOf(await browser.logIn(way)), '/admin/account')
      assert.equal(await guarded(browser), 200)
    })
  })

  test('[U15] a provider that reports another issuer than the configured one is refused', async ({
    assert,
  }) => {
    await use({ issuer: issuer.replace('127.0.0.1', 'localhost') })
    const response = await new SsoBrowser().visit(START)
    assert.equal(refusal(response), 'sso_away')
    assert.notProperty(receivedCookies(response), 'sso_step')
  })

  test('[U15] subjects that differ only in case are different users, and a subject can be linked once', async ({
    assert,
  }) => {
    const jo = await link('jo', 'kim')
    const sam = await makeUser('sam', { isSuperuser: false })
    const site = await adminSite()
    const { identities } = site.sso!
    await assert.rejects(
      () => identities.link(sam.id, { issuer, subject: 'kim' }),
      /unique|duplicate/i
    )
    await identities.link(sam.id, { issuer, subject: 'KIM' })
    await identities.link(sam.id, { issuer: `${issuer}/`, subject: 'kim' })
    for (const [subject, user] of [
      ['kim', jo],
      ['KIM', sam],
    ] as const) {
      const found = await identities.find({ issuer, subject })
      assert.equal(found!.userId, user.id)
    }
    assert.isNull(await identities.find({ issuer, subject: 'kim ' }))
    assert.isNull(await identities.find({ issuer, subject: 'Kim' }))
  }).tags(['@database'])

  test('[U15, B8] failed logins at the provider are counted for the address, like wrong passwords', async ({
    assert,
  }) => {
    const { adminAuthentication } = await adminSite()
    const { attemptsPerAddress } = adminAuthentication.throttle.config
    for (let count = 1; count < attemptsPerAddress; count++) {
      await adminAuthentication.throttle.attemptOfAddress('127.0.0.1')
    }
    assert.equal(refusal(await new SsoBrowser().logIn()), 'sso_unknown')
    await emptyEventTables()
    assert.equal(refusal(await new SsoBrowser().visit(START)), 'sso_throttled')
    const [{ details }] = await loggedEvents()
    assert.deepInclude(details, { status: 429, reason: 'throttled' })
  })

  test('[U15] unknown subjects are refused or get a new user, as configured, and never an existing user of that name', async ({
    assert,
  }) => {
    await makeUser('kim')
    server.behaviour.person = {
      sub: 'kim',
      preferred_username: 'kim',
      email: 'kim@example.com',
      email_verified: true,
    }
    assert.equal(refusal(await new SsoBrowser().logIn()), 'sso_unknown')
    assert.isEmpty(await AdminSsoIdentity.all())

    await use({ unknown: 'create' })
    const browser = new SsoBrowser()
    assert.equal(locationOf(await browser.logIn()), '/admin')
    const user = await AdminUser.findByOrFail('username', 'kim-2')
    assert.isFalse(user.isSuperuser)
    assert.equal(user.hashedPassword, '!')
    assert.deepEqual(await rolesOf(user), ['Everything'])
    assert.equal(await statusOf(login('kim-2', '!')), 401)
    await new SsoBrowser().logIn()
    assert.lengthOf(await AdminUser.all(), 2)
    const both = await Promise.all(
      [1, 2].map(() => {
        server.behaviour.person = { sub: 'Kim', preferred_username: 'kim' }
        return new SsoBrowser().logIn()
      })
    )
    assert.deepEqual(both.map(locationOf), ['/admin', '/admin'])
    assert.lengthOf(await AdminUser.all(), 3)
  })

  test('[U15] roles are updated from the claim at each login, and a user without one cannot log in', async ({
    assert,
  }) => {
    await makeUser('root')
    const roles = {
      claim: 'groups',
      map: { staff: ['Read only'], bosses: ['Everything', 'No such role'] },
      superuser: ['admins'],
    }
    await use({ roles, unknown: 'create' })
    const logIn = async (groups: unknown) => {
      server.behaviour.person = { sub: 'kim', preferred_username: 'kim', groups }
      return await new SsoBrowser().logIn()
    }
    for (const none of [undefined, [], ['constructor', 'others'], { staff: true }]) {
      assert.equal(refusal(await logIn(none)), 'sso_role')
    }
    assert.isNull(await AdminUser.findBy('username', 'kim'))

    const rightsAfter = async (groups: unknown) => {
      assert.equal(locationOf(await logIn(groups)), '/admin')
      const user = await AdminUser.findByOrFail('username', 'kim')
      return [await rolesOf(user), user.isSuperuser]
    }
    assert.deepEqual(await rightsAfter(['staff']), [['Read only'], false])
    assert.deepEqual(await rightsAfter(['staff', 'bosses', 'admins']), [
      ['Everything', 'Read only'],
      true,
    ])
    assert.deepEqual(await rightsAfter('staff'), [['Read only'], false])
    const events = await loggedEvents()
    const changes = events.filter(({ eventType }) => eventType === 'UPDATE')
    assert.isAtLeast(changes.length, 2)

    assert.equal(refusal(await logIn(['others'])), 'sso_role')
    const user = await AdminUser.findByOrFail('username', 'kim')
    assert.deepEqual([await rolesOf(user), user.isSuperuser], [[], false])
  })

  test('[U15] the claim does not demote the last superuser', async ({ assert }) => {
    const roles = { claim: 'groups', map: { staff: ['Read only'] }, superuser: ['admins'] }
    await use({ roles })
    const user = await link('jo')
    await user.merge({ isSuperuser: true }).save()
    server.behaviour.person = { sub: 'kim', groups: ['staff'] }
    assert.equal(locationOf(await new SsoBrowser().logIn()), '/admin')
    await user.refresh()
    assert.isTrue(user.isSuperuser)
  })

  test('[U15] a login that was cancelled, or lacks the required method, does not log in', async ({
    assert,
  }) => {
    await link('jo')
    server.behaviour.refuses = true
    assert.equal(refusal(await new SsoBrowser().logIn()), 'sso_cancelled')
    server.behaviour.refuses = false
    await use({ amr: ['otp', 'hwk'] })
    server.behaviour.person = { sub: 'kim', amr: ['pwd'] }
    assert.equal(refusal(await new SsoBrowser().logIn()), 'sso_factor')
    server.behaviour.person = { sub: 'kim', amr: ['pwd', 'otp'] }
    assert.equal(locationOf(await new SsoBrowser().logIn()), '/admin')
  })

  test('[U15, U10] the login at the provider counts as the second factor', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await requireFactors('required'))
    const user = await link('jo')
    const browser = new SsoBrowser()
    await browser.logIn()
    assert.isTrue(await isSignedIn(browser.cookies))
    const password = await login('jo')
    assert.match(
      locationOf(await get('/admin', { headers: { cookie: cookiesFrom(password) } }))!,
      /totp/
    )
    await giveFactor(user)
    const again = new SsoBrowser()
    assert.equal(locationOf(await again.logIn()), '/admin')
  })

  test('[U15] while the provider is unavailable, the login page reports that, and passwords are accepted', async ({
    assert,
  }) => {
    await makeUser('jo')
    await use({ issuer: 'http://127.0.0.1:1' })
    const page = await get('/admin/login')
    assert.equal(page.status, 200)
    assert.include(page.text, `href="${START}"`)
    const response = await get(`${START}?next=%2Fadmin%2Faccount`)
    assert.equal(locationOf(response), '/admin/login?error=sso_away&next=%2Fadmin%2Faccount')
    const told = await get(locationOf(response)!)
    assert.match(told.text, /role="alert">The login service can’t be reached/)
    assert.equal(await statusOf(login('jo')), 303)
  })

  test('[U15] with passwords disabled, no user logs in or confirms with one, and no form has the field', async ({
    assert,
  }) => {
    const user = await link('jo')
    await use({ passwords: false })
    const page = await get('/admin/login')
    assert.notInclude(page.text, 'type="password"')
    assert.include(page.text, `href="${START}"`)
    const response = await login('jo')
    assert.equal(response.status, 403)
    assert.notProperty(receivedCookies(response), 'session_id')
    const { status } = await sendForm('/admin/login/passkey', { passkey: '{}' })
    assert.equal(status, 403)
    assert.notInclude(page.text, '/admin/login/passkey')
    const cookie = await cookiesOf(user)
    await inMinutes(11, async () => {
      const path = '/admin/reauthenticate'
      const proof = await sendForm(path, { password: 'correct horse' }, { cookie })
      assert.equal(proof.status, 401)
      assert.notInclude(proof.text, 'type="password"')
    })
  })

  test('[U15, S23] a logout also ends the session at the provider', async ({ assert }) => {
    await link('jo')
    const browser = new SsoBrowser()
    await browser.logIn()
    const { cookies } = browser
    const [{ session_metadata: stored }] = await db.from('admin_sessions')
    assert.notMatch(JSON.stringify(stored), /eyJ[\w-]+\.eyJ/)
    const response = await browser.visit('/admin/logout')
    const place = new URL(locationOf(response)!)
    assert.equal(place.origin + place.pathname, `${issuer}/session/end`)
    assert.match(place.searchParams.get('id_token_hint')!, /^eyJ/)
    assert.match(place.searchParams.get('post_logout_redirect_uri')!, /\/admin\/login$/)
    const ending = await fetch(place)
    assert.equal(ending.status, 200)
    assert.isFalse(await isSignedIn(cookies))

    const withPassword = await login('jo')
    const plain = await get('/admin/logout', { headers: { cookie: cookiesFrom(withPassword) } })
    assert.equal(locationOf(plain), '/admin/login')
  })

  test('[U15, U11] a linked user confirms their identity at the provider, which must prompt again', async ({
    assert,
  }) => {
    const user = await link('jo')
    const browser = new SsoBrowser(await cookiesOf(user))
    await db.from('admin_sessions').update({ created_at: '2099-01-01 00:00:00' })
    await inMinutes(11, async () => {
      await db.from('admin_sessions').update({
        created_at: new Date(Date.now() - 11 * 60_000).toISOString().slice(0, 19).replace('T', ' '),
      })
      const asking = await browser.visit('/admin/reauthenticate?next=%2Fadmin%2Faccount')
      const way = `${START}?for=proof&next=%2Fadmin%2Faccount`
      assert.include(asking.text, way.replaceAll('&', '&amp;'))
      const requested = new URL(locationOf(await browser.visit(way))!)
      assert.equal(requested.searchParams.get('prompt'), 'login')
      assert.equal(requested.searchParams.get('max_age'), '0')

      server.behaviour.person = { sub: 'sam' }
      assert.match(locationOf(await browser.logIn(way))!, /^\/admin\/reauthenticate\?next/)
      const stale = await new SsoBrowserAsking(browser).withoutPrompt(way)
      assert.match(stale, /^\/admin\/reauthenticate\?next/)

      browser.leaveProvider()
      server.behaviour.person = { sub: 'kim' }
      assert.equal(locationOf(await browser.logIn(way)), '/admin/account')
      const again = await browser.visit('/admin/reauthenticate?next=%2Fadmin%2Faccount')
      assert.equal(locationOf(again), '/admin/account')
    })
  })

  test("[U15] a logged-in user can link and unlink their provider account, and other users can't take over the link", async ({
    assert,
  }) => {
    const jo = await makeUser('jo')
    const sam = await makeUser('sam')
    const browser = new SsoBrowser(await cookiesOf(jo))
    const way = `${START}?for=link`
    const page = await browser.visit('/admin/account')
    assert.include(page.text, `href="${way}"`)
    const foreign = await browser.visit(way, { 'sec-fetch-site': 'cross-site' })
    assert.equal(locationOf(foreign), '/admin/account')
    assert.match(locationOf(await get(way))!, /\/admin\/login\?error=required/)
    const stranger = new SsoBrowser(await cookiesOf(sam))
    const back = await stranger.walk(way)
    const mixed = new SsoBrowser(`${await cookiesOf(jo)}; ${stepOf(stranger)}`)
    assert.equal(locationOf(await mixed.visit(back)), '/admin/account')
    assert.isEmpty(await AdminSsoIdentity.all())

    assert.equal(locationOf(await browser.logIn(way)), '/admin/account')
    const [identity] = await AdminSsoIdentity.all()
    assert.containsSubset(identity.$attributes, { userId: jo.id, subject: 'kim', issuer })
    const notices = await db.from('admin_notices').where('user_id', jo.id)
    assert.include(
      notices.map(({ kind }) => kind),
      'sso_linked'
    )
    await new SsoBrowser(await cookiesOf(sam)).logIn(way)
    assert.lengthOf(await AdminSsoIdentity.all(), 1)

    const unlink = async (user: AdminUser) =>
      await sendForm(
        '/admin/account/sso/unlink',
        { id: String(identity.id) },
        {
          cookie: await cookiesOf(user),
        }
      )
    assert.equal(await statusOf(unlink(sam)), 404)
    await use({ passwords: false })
    await unlink(jo)
    assert.lengthOf(await AdminSsoIdentity.all(), 1)
    await use()
    assert.equal(await statusOf(unlink(jo)), 303)
    assert.isEmpty(await AdminSsoIdentity.all())
  })

  test('[U15] of two concurrent links of one user, one is created and the other gets an error', async ({
    assert,
  }) => {
    const users = [await makeUser('jo'), await makeUser('sam')]
    const begin = async (user: AdminUser) => {
      const browser = new SsoBrowser(await cookiesOf(user))
      return { browser, back: await browser.walk(`${START}?for=link`) }
    }
    const site = await adminSite()
    const { identities } = site.sso!
    const find = identities.find.bind(identities)
    /* As if neither had been there when the other looked. */
    const looks = (times: number) => {
      identities.find = async (person, client) => (times-- > 0 ? null : await find(person, client))
    }
    const ways = [await begin(users[0]), await begin(users[1])]
    looks(2)
    const responses = await Promise.all(ways.map(({ browser, back }) => browser.visit(back)))
    assert.deepEqual(responses.map(locationOf), ['/admin/account', '/admin/account'])
    const [identity, ...more] = await AdminSsoIdentity.all()
    assert.isEmpty(more)
    const loser = ways[identity.userId === users[0].id ? 1 : 0].browser
    const { text } = await loser.visit('/admin/account')
    assert.include(text, 'is linked with another user')

    const twice = await begin(users.find(({ id }) => id === identity.userId)!)
    looks(1)
    const again = await twice.browser.visit(twice.back)
    assert.equal(locationOf(again), '/admin/account')
    const linked = await twice.browser.visit('/admin/account')
    assert.include(linked.text, 'Your account is linked.')
    assert.lengthOf(await db.from('admin_notices').where('kind', 'sso_linked'), 1)
  })

  test('[U15] without the setting sso, its routes do not exist', async ({ assert }) => {
    const site = await adminSite()
    site.sso = undefined
    const page = await get('/admin/login')
    assert.notInclude(page.text, START)
    for (const path of [START, `${START}/callback`]) {
      const { status } = await get(path, {
        headers: { cookie: await cookiesOf(await makeUser(`u${path.length}`)) },
      })
      assert.equal(status, 404)
    }
  })
})

function stepOf(browser: SsoBrowser): string {
  return browser.cookies.split('; ').find((pair) => pair.startsWith('sso_step='))!
}

/** A browser whose provider does not hear that it has to ask anew. */
class SsoBrowserAsking {
  constructor(private readonly browser: SsoBrowser) {}

  async withoutPrompt(way: string): Promise<string> {
    const back = await this.browser.walk(way, (url) => {
      url.searchParams.delete('prompt')
      url.searchParams.delete('max_age')
    })
    const response = await this.browser.visit(back)
    return response.headers.get('location')!
  }
}
