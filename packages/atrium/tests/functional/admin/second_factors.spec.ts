import { test } from '@japa/runner'
import { Secret } from '@adonisjs/core/helpers'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import AdminFactor from '#admin/models/admin_factor'
import {
  adminSite,
  ageSessions,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  login,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { codeOf, giveFactor, inMinutes, requireFactors } from '#tests/helpers/factors'
import { get, type HttpResponse, locationOf, statusOf } from '#tests/helpers/http'
import { issueToken } from '#tests/helpers/tokens'
import { emptyEventTables } from '#tests/helpers/logged_events'

const TOTP = '/admin/account/factors/totp'
const CODES = '/admin/account/factors/recovery-codes'

const asText = ({ text }: HttpResponse) => text.replace(/&#?\w+;/g, '')

/** The sealed and the shown secret of the set-up page */
async function setUp(cookie: string, address = TOTP) {
  const page = await get(address, { headers: { cookie } })
  const setup = /name="setup" value="([^"]+)"/.exec(page.text)![1]
  const secret = /class="setup-secret">([^<]+)</.exec(page.text)![1].replaceAll(' ', '')
  return { page, setup, secret }
}

const codesIn = ({ text }: HttpResponse) =>
  [...text.matchAll(/<li><code>([^<]+)</g)].map(([, code]) => code)

async function send(path: string, cookie: string, fields: Record<string, string> = {}) {
  return await sendForm(path, fields, { cookie })
}

async function removalOf(user: AdminUser) {
  const { id } = await AdminFactor.findByOrFail('userId', user.id)
  return `/admin/account/factors/${id}/remove`
}

test.group('Admin | setting up a second factor', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo', { isSuperuser: false, roles: [] })
    cookie = await cookiesOf(jo)
    await emptyEventTables()
  })

  test('[U8, U7] a user without a role can set up an app, and gets ten recovery codes', async ({
    assert,
  }) => {
    const account = await get('/admin/account', { headers: { cookie } })
    assert.include(account.text, `href="${TOTP}"`)
    const { page, setup, secret } = await setUp(cookie)
    assert.match(page.text, /<svg class="qr"[^>]*><path d="(M\d+ \d+h1v1h-1z)+"\/><\/svg>/)
    assert.include(page.text, `otpauth://totp/`)
    assert.notInclude(setup, secret)
    assert.isEmpty(await db.from('admin_factors'))

    const wrong = await send(TOTP, cookie, { setup, code: '000000' })
    assert.equal(wrong.status, 422)
    assert.include(wrong.text, secret.slice(0, 4))
    assert.isEmpty(await db.from('admin_factors'))

    const code = codeOf(secret)
    const done = await send(TOTP, cookie, { setup, code })
    assert.equal(done.status, 200)
    assert.lengthOf(new Set(codesIn(done)), 10)
    assert.equal(done.headers.get('cache-control'), 'no-store')
    assert.equal(await locationOf(login('jo')), '/admin/login/second')
    const { adminAuthentication } = await adminSite()
    assert.isNull(await adminAuthentication.factors.take(jo.id, { code }))
    const [recoveryCode] = codesIn(done)
    assert.equal(await adminAuthentication.factors.take(jo.id, { recoveryCode }), 'recovery_code')
  }).tags(['@database'])

  test('[U8, E4] secret and codes are stored encrypted and hashed, and not shown again', async ({
    assert,
  }) => {
    const { setup, secret } = await setUp(cookie)
    const done = await send(TOTP, cookie, { setup, code: codeOf(secret) })
    const codes = codesIn(done)
    const admin = await cookiesOf(await makeUser('ada'))
    const site = await adminSite()
    await site.events.settle()
    const rows = await Promise.all(
      ['admin_factors', 'admin_recovery_codes', 'admin_event_log', 'admin_audit_log'].map((table) =>
        db.from(table)
      )
    )
    const pages = await Promise.all([
      ...['/account', '/account/factors/totp'].map((path) =>
        get(`/admin${path}`, { headers: { cookie } })
      ),
      ...[`/AdminUser/update/${jo.id}`, '/AdminUser/crud', '/management/events', '/AdminUser/'].map(
        (path) => get(`/admin${path}`, { headers: { cookie: admin } })
      ),
    ])
    const everything = JSON.stringify(rows) + pages.map(asText).join()
    for (const hidden of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))]) {
      assert.notInclude(everything, hidden)
    }
    for (const { secret: sealed } of await db.from('admin_factors')) {
      for (const { text } of pages) assert.notInclude(text, sealed)
    }
    const written = new Set(rows[2].map(({ resource_type: model }) => model))
    assert.notInclude([...written], 'AdminFactor')
    const [{ details, resource_id: id }] = rows[2].filter(
      ({ event_type: type }) => type === 'UPDATE'
    )
    assert.deepEqual(typeof details === 'string' ? JSON.parse(details) : details, {
      factors: 'added',
    })
    assert.equal(id, String(jo.id))
  }).tags(['@database'])

  test('[U8] submitting the setup form twice changes nothing', async ({ assert }) => {
    const { setup, secret } = await setUp(cookie)
    await send(TOTP, cookie, { setup, code: codeOf(secret) })
    const before = await db.from('admin_recovery_codes').orderBy('id')
    const again = await send(TOTP, cookie, { setup, code: codeOf(secret) })
    assert.equal(again.status, 303)
    assert.deepEqual(await db.from('admin_recovery_codes').orderBy('id'), before)
  }).tags(['@database'])

  test('[U8] a setup key of another user, a forged one or an expired one is refused', async ({
    assert,
  }) => {
    const other = await cookiesOf(await makeUser('al'))
    const { setup, secret } = await setUp(other)
    for (const sealed of [setup, '', 'x', 'a'.repeat(600)]) {
      const response = await send(TOTP, cookie, { setup: sealed, code: codeOf(secret) })
      assert.equal(response.status, 422)
    }
    const own = await setUp(cookie)
    const late = await inMinutes(9, () => setUp(cookie, `${TOTP}?setup=${own.setup}`))
    assert.equal(late.secret, own.secret)
    assert.isEmpty(await db.from('admin_factors'))
  })

  test('[U8, B7] setting up, replacing or removing a factor ends the other sessions', async ({
    assert,
  }) => {
    const enrol = async () => {
      const { setup, secret } = await setUp(cookie)
      return await send(TOTP, cookie, { setup, code: codeOf(secret) })
    }
    const changes = [enrol, enrol, async () => send(await removalOf(jo), cookie)]
    for (const change of changes) {
      const other = await cookiesOf(jo)
      const { status } = await change()
      assert.isBelow(status, 400)
      assert.isFalse(await isSignedIn(other))
      assert.isTrue(await isSignedIn(cookie))
    }
  })

  test('[U8] a new app replaces the old one, and the recovery codes stay', async ({ assert }) => {
    const old = await giveFactor(jo)
    cookie = await cookiesOf(jo)
    const { setup, secret } = await setUp(cookie)
    const response = await send(TOTP, cookie, { setup, code: codeOf(secret) })
    assert.equal(response.headers.get('location'), '/admin/account')
    const { adminAuthentication } = await adminSite()
    assert.isNull(await adminAuthentication.factors.take(jo.id, { code: old.code() }))
    assert.equal(await adminAuthentication.factors.take(jo.id, { code: codeOf(secret, 1) }), 'totp')
    const [recoveryCode] = old.recoveryCodes
    assert.isNotNull(await adminAuthentication.factors.take(jo.id, { recoveryCode }))
  })

  test('[U8] new recovery codes replace the old ones', async ({ assert }) => {
    const old = await giveFactor(jo)
    cookie = await cookiesOf(jo)
    const requested = await get(CODES, { headers: { cookie } })
    assert.equal(requested.status, 200)
    const codes = codesIn(await send(CODES, cookie))
    assert.lengthOf(codes, 10)
    const { adminAuthentication } = await adminSite()
    const take = (recoveryCode: string) => adminAuthentication.factors.take(jo.id, { recoveryCode })
    assert.isNull(await take(old.recoveryCodes[0]))
    assert.isNotNull(await take(codes[9]))
  })

  test('[U8] removing the last factor deletes the recovery codes, and the password alone logs in', async ({
    assert,
  }) => {
    await giveFactor(jo)
    cookie = await cookiesOf(jo)
    const path = await removalOf(jo)
    assert.equal(await statusOf(get(path, { headers: { cookie } })), 200)
    assert.equal(await statusOf(send(path, cookie)), 303)
    assert.isEmpty(await db.from('admin_recovery_codes'))
    assert.equal(await locationOf(login('jo')), '/admin')
  }).tags(['@database'])

  test('[U8] second factors of another user, and unknown ones, can’t be removed or renewed', async ({
    assert,
  }) => {
    const al = await makeUser('al')
    await giveFactor(al)
    const path = await removalOf(al)
    for (const address of [path, CODES, '/admin/account/factors/x/remove']) {
      assert.equal(await statusOf(send(address, cookie)), 404)
      assert.equal(await statusOf(get(address, { headers: { cookie } })), 404)
    }
    await giveFactor(jo)
    cookie = await cookiesOf(jo)
    assert.equal(await statusOf(send(path, cookie)), 404)
    assert.lengthOf(await db.from('admin_factors'), 2)
  })

  test('[U8] a login that started without a factor can’t be completed after one was set up', async ({
    assert,
  }) => {
    const { adminAuthentication } = await adminSite()
    await giveFactor(jo)
    const begun = await adminAuthentication.sessions.begin(
      jo,
      { ip: '192.0.2.1', userAgent: undefined },
      { isEnough: async (client) => !(await adminAuthentication.factors.has(jo.id, client)) }
    )
    assert.isNull(begun)
  })

  test('[U8, E4] a secret that is moved to another user, or encrypted with another key, is not accepted', async ({
    assert,
  }) => {
    const app = await giveFactor(jo)
    const al = await makeUser('al')
    await db.from('admin_factors').update({ user_id: al.id })
    const { adminAuthentication } = await adminSite()
    assert.isNull(await adminAuthentication.factors.take(al.id, { code: app.code() }))
  })

  test('[U11] all pages of factors require a proof of identity ten minutes after the login', async ({
    assert,
  }) => {
    await giveFactor(jo)
    cookie = await cookiesOf(jo)
    await ageSessions(jo, 'created_at', { minutes: 11 })
    const removal = await removalOf(jo)
    for (const path of [TOTP, CODES, removal]) {
      for (const response of [await get(path, { headers: { cookie } }), await send(path, cookie)]) {
        assert.equal(response.status, 303)
        assert.match(
          response.headers.get('location')!,
          /^\/admin\/reauthenticate\?next=%2Fadmin%2Faccount/
        )
      }
    }
    assert.lengthOf(await db.from('admin_factors'), 1)
  })
})

test.group('Admin | users who must have a second factor', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(() => emptyAdminTables())

  test(
    '[U10] the setting mfa requires a factor from no users, from superusers, or from all users: {0}'
  )
    .with([
      ['optional', false, false],
      ['superusers', true, false],
      ['required', true, true],
    ] as const)
    .run(async ({ assert, cleanup }, [mfa, superuser, other]) => {
      cleanup(await requireFactors(mfa))
      const users = [
        [await makeUser('ada'), superuser],
        [await makeUser('jo', { isSuperuser: false }), other],
      ] as const
      for (const [user, isRequested] of users) {
        const { status, headers } = await get('/admin', {
          headers: { cookie: await cookiesOf(user) },
        })
        assert.equal(status, isRequested ? 303 : 200)
        if (isRequested) assert.equal(headers.get('location'), TOTP)
      }
    })

  test('[U10] after setting up a factor, the whole site is accessible', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await requireFactors('required'))
    const jo = await makeUser('jo')
    const response = await login('jo')
    assert.equal(response.status, 303)
    const cookie = await cookiesOf(jo)
    const { page, setup, secret } = await setUp(cookie)
    assert.include(page.text, 'This site requires a second factor. Set one up to continue.')
    assert.notInclude(page.text, 'href="/admin/AdminUser/"')
    assert.equal(await statusOf(send(TOTP, cookie, { setup, code: codeOf(secret) })), 200)
    assert.isTrue(await isSignedIn(cookie))
  })

  test('[U10, P10] access tokens of API clients stay valid for users who must set up a factor', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await requireFactors('required'))
    const { token } = await issueToken(await makeUser('jo'))
    const { accessTokens } = await adminSite()
    assert.isNotNull(await accessTokens.find(new Secret(token)))
  })

  test('[U10] a user can log out before setting up a factor', async ({ assert, cleanup }) => {
    cleanup(await requireFactors('required'))
    const cookie = await cookiesOf(await makeUser('jo'))
    const { headers } = await get('/admin/logout', { headers: { cookie } })
    assert.equal(headers.get('location'), '/admin/login')
    assert.isEmpty(await db.from('admin_sessions').where('is_active', true))
  })

  test('[U10] the last factor of a user who is required to have one can’t be removed', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await requireFactors('required'))
    const jo = await makeUser('jo')
    await giveFactor(jo)
    const cookie = await cookiesOf(jo)
    const { headers } = await send(await removalOf(jo), cookie)
    assert.equal(headers.get('location'), '/admin/account')
    assert.lengthOf(await db.from('admin_factors'), 1)
  })
})

test.group('Admin | resetting second factors', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(() => emptyAdminTables())

  test('[U10] a superuser can remove the factors of another user, which ends the user’s sessions', async ({
    assert,
  }) => {
    const ada = await makeUser('ada')
    const jo = await makeUser('jo', { isSuperuser: false })
    await giveFactor(jo)
    await emptyEventTables()
    const [cookie, other] = [await cookiesOf(ada), await cookiesOf(jo)]
    const path = `/admin/AdminUser/reset_factors/${jo.id}`
    const page = await get(`/admin/AdminUser/update/${jo.id}`, { headers: { cookie } })
    assert.include(page.text, `href="${path}"`)
    assert.equal(await statusOf(get(path, { headers: { cookie } })), 200)
    assert.lengthOf(await db.from('admin_factors'), 1)

    for (const refused of [
      await get(path, { headers: { cookie: other } }),
      await send(path, other),
    ]) {
      assert.equal(refused.status, 403)
    }
    const done = await send(path, cookie)
    assert.equal(done.headers.get('location'), `/admin/AdminUser/update/${jo.id}`)
    assert.isEmpty(await db.from('admin_factors'))
    assert.isEmpty(await db.from('admin_recovery_codes'))
    assert.isFalse(await isSignedIn(other))
    assert.isTrue(await isSignedIn(cookie))
    const site = await adminSite()
    await site.events.settle()
    const [event] = await db.from('admin_event_log').where('event_type', 'UPDATE')
    assert.equal(event.user_id, ada.id)
    assert.equal(event.resource_id, String(jo.id))
    assert.match(JSON.stringify(event.details), /reset/)
  })

  test('[U10] resetting the factors of an unknown user is a 404', async ({ assert }) => {
    const cookie = await cookiesOf(await makeUser('ada'))
    assert.equal(await statusOf(send('/admin/AdminUser/reset_factors/999999', cookie)), 404)
  })
})
