import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import AdminFactor from '#admin/models/admin_factor'
import {
  adminSite,
  ageSessions,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  login,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { captureLog } from '#tests/helpers/captured_log'
import { inMinutes } from '#tests/helpers/factors'
import { get, type HttpResponse } from '#tests/helpers/http'
import { givePasskey, optionsOf, TestAuthenticator } from '#tests/helpers/passkeys'
import { emptyEventTables } from '#tests/helpers/logged_events'

const LOGIN = '/admin/login/passkey'
const SECOND = '/admin/login/second'
const ADD = '/admin/account/factors/passkeys'

const hasSession = ({ headers }: HttpResponse) =>
  headers.getSetCookie().some((line) => /^session_id=[^;]/.test(line))

async function statusOf(response: Promise<{ status: number }>): Promise<number> {
  const { status } = await response
  return status
}

/** Waits until the events are written. */
async function settle() {
  const { events } = await adminSite()
  await events.settle()
}

test.group('Admin | passkeys', (group) => {
  let jo: AdminUser
  let cookie: string
  let key: TestAuthenticator

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
    key = await givePasskey(cookie)
    await emptyEventTables()
  })

  async function logIn(claims: Parameters<TestAuthenticator['response']>[1] = {}) {
    const requested = await optionsOf(LOGIN)
    const passkey = key.response(requested.options, claims)
    return await sendForm(LOGIN, { passkey, next: '/admin/account' }, { cookie: requested.cookie })
  }

  test('[U9] a passkey alone logs in its user, once per challenge', async ({ assert }) => {
    const requested = await optionsOf(LOGIN)
    assert.equal(requested.options.userVerification, 'required')
    assert.isEmpty(requested.options.allowCredentials ?? [])
    const passkey = key.response(requested.options)
    const headers = { cookie: requested.cookie }
    const both = await Promise.all([
      sendForm(LOGIN, { passkey, next: '/admin/account' }, headers),
      sendForm(LOGIN, { passkey, next: '/admin/account' }, headers),
    ])
    assert.sameMembers(
      both.map(({ status }) => status),
      [303, 401]
    )
    const done = both.find(({ status }) => status === 303)!
    assert.equal(done.headers.get('location'), '/admin/account')
    assert.isTrue(await isSignedIn(cookiesFrom(done)))
    assert.equal(await statusOf(sendForm(LOGIN, { passkey }, headers)), 401)
    await settle()
    const events = await db.from('admin_event_log').where('event_type', 'LOGIN')
    assert.lengthOf(events, 1)
    assert.include(JSON.stringify(events[0]), 'passkey')
  }).tags(['@database'])

  test('[U9] a passkey login with a wrong origin, host, user handle or key, or without user verification, is refused', async ({
    assert,
  }) => {
    const responses: HttpResponse[] = []
    for (const claims of [
      { origin: 'http://elsewhere.test' },
      { host: 'elsewhere.test' },
      { isVerified: false },
      { handle: 'AAAA' },
    ]) {
      responses.push(await logIn(claims))
    }
    const requested = await optionsOf(LOGIN)
    const stranger = new TestAuthenticator()
    const passkey = stranger.response(requested.options)
    responses.push(await sendForm(LOGIN, { passkey }, { cookie: requested.cookie }))
    for (const response of responses) {
      assert.equal(response.status, 401)
      assert.isFalse(hasSession(response))
      assert.include(response.text, 'This passkey was not accepted.')
    }
    await settle()
    const failures = await db.from('admin_event_log').where('event_type', 'FAILED_LOGIN')
    assert.lengthOf(failures, 5)
    assert.notInclude(JSON.stringify(failures), key.id)
  })

  test('[U9] a passkey that logs in alone must contain its user handle', async ({ assert }) => {
    assert.equal(await statusOf(logIn({ handle: '' })), 401)
    assert.equal(await statusOf(logIn()), 303)
  })

  test('[U9, U16] a counter that decreases is refused and logged, and the owner is notified', async ({
    assert,
    cleanup,
  }) => {
    assert.equal(await statusOf(logIn({ counter: 7 })), 303)
    const lines = captureLog(cleanup)
    const refused = await logIn({ counter: 7 })
    assert.equal(refused.status, 401)
    assert.isFalse(hasSession(refused))
    const logged = lines().map(({ msg }) => msg)
    assert.include(logged, 'The counter of a passkey went back: there are two of it')
    await settle()
    const [failure] = await db.from('admin_event_log').where('event_type', 'FAILED_LOGIN')
    assert.include(JSON.stringify(failure), 'passkey_cloned')
    const notices = await db.from('admin_notices').where('kind', 'passkey_cloned')
    assert.lengthOf(notices, 1)
    assert.equal(await statusOf(logIn({ counter: 8 })), 303)
  }).tags(['@database'])

  test('[U9] a challenge is valid for five minutes, in its browser and for its purpose', async ({
    assert,
  }) => {
    const late = await optionsOf(LOGIN)
    const response = await inMinutes(6, () =>
      sendForm(LOGIN, { passkey: key.response(late.options) }, { cookie: late.cookie })
    )
    assert.equal(response.status, 401)

    const mine = await optionsOf(LOGIN)
    const other = await optionsOf(LOGIN)
    const elsewhere = { passkey: key.response(mine.options) }
    assert.equal(await statusOf(sendForm(LOGIN, elsewhere, { cookie: other.cookie })), 401)
    assert.equal(await statusOf(sendForm(LOGIN, elsewhere)), 401)

    /* The challenge of a proof, with the cookie named as that of a login. */
    const proof = await optionsOf('/admin/reauthenticate', cookie)
    const renamed = proof.cookie.replace('passkey_proof=', 'passkey_login=')
    const moved = await sendForm(
      LOGIN,
      { passkey: key.response(proof.options) },
      { cookie: renamed }
    )
    assert.equal(moved.status, 401)
  }).tags(['@database'])

  test('[U9] a passkey of the user is accepted as a second factor after the password, one of another user is not', async ({
    assert,
  }) => {
    const first = cookiesFrom(await login('jo'))
    const requested = await optionsOf(SECOND, first)
    assert.deepEqual(
      requested.options.allowCredentials.map(({ id }: { id: string }) => id),
      [key.id]
    )
    const page = await get(SECOND, { headers: { cookie: first } })
    assert.include(page.text, 'data-options="/admin/login/second/options"')
    assert.notInclude(page.text, 'name="code"')

    const ada = await makeUser('ada')
    const hers = await givePasskey(await cookiesOf(ada))
    const wrong = { passkey: hers.response(requested.options) }
    const refused = await sendForm(SECOND, wrong, { cookie: requested.cookie })
    assert.equal(refused.status, 401)
    assert.isFalse(hasSession(refused))
    assert.lengthOf(await db.from('admin_notices').where('kind', 'second_step_failed'), 1)

    const again = await optionsOf(SECOND, first)
    const passkey = key.response(again.options)
    const done = await sendForm(SECOND, { passkey }, { cookie: again.cookie })
    assert.equal(done.status, 303)
    assert.isTrue(await isSignedIn(cookiesFrom(done)))
    const { response: late } = await optionsOf(SECOND)
    assert.equal(late.status, 401)
  })

  test('[U9, U11] adding and removing passkeys requires a proof of identity, which a passkey can be', async ({
    assert,
  }) => {
    await ageSessions(jo, 'created_at', { minutes: 11 })
    const headers = { cookie }
    const factor = await AdminFactor.findByOrFail('userId', jo.id)
    for (const path of [ADD, `/admin/account/factors/${factor.id}/remove`]) {
      const asking = await get(path, { headers })
      assert.match(asking.headers.get('location') ?? '', /reauthenticate/)
      const sent = await sendForm(path, {}, headers)
      assert.match(sent.headers.get('location') ?? '', /reauthenticate/)
    }
    const { response: refused } = await optionsOf(ADD, cookie)
    assert.equal(refused.status, 403)

    const requested = await optionsOf('/admin/reauthenticate', cookie)
    const fields = { passkey: key.response(requested.options), next: ADD }
    const proved = await sendForm('/admin/reauthenticate', fields, { cookie: requested.cookie })
    assert.equal(proved.headers.get('location'), ADD)
    cookie = cookiesFrom(proved)
    const second = await givePasskey(cookie, 'Key ring')
    assert.notEqual(second.id, key.id)
    assert.equal(second.handle, key.handle)
    assert.notInclude(Buffer.from(second.handle, 'base64url').toString(), String(jo.id) + 'jo')
    assert.lengthOf(await AdminFactor.query().where('userId', jo.id), 2)
    const again = await optionsOf(ADD, cookie)
    assert.lengthOf(again.options.excludeCredentials, 2)
    const known = { passkey: second.create(again.options), name: 'Twice' }
    assert.equal(await statusOf(sendForm(ADD, known, { cookie: again.cookie })), 422)
  })

  test('[U9] users name their own passkeys, and see when they were last used', async ({
    assert,
  }) => {
    const { id } = await AdminFactor.findByOrFail('userId', jo.id)
    const path = `/admin/account/factors/${id}/name`
    const headers = { cookie }
    assert.equal(await statusOf(sendForm(path, { name: '  ' }, headers)), 422)
    assert.equal(await statusOf(sendForm(path, { name: 'Blue <key>' }, headers)), 303)
    const { text } = await get('/admin/account', { headers })
    assert.include(text, 'Blue &lt;key&gt;')
    assert.notInclude(text, key.id)
    const ada = { cookie: await cookiesOf(await makeUser('ada')) }
    assert.equal(await statusOf(sendForm(path, { name: 'Mine' }, ada)), 404)
    assert.equal(await statusOf(get(path, { headers: ada })), 404)
    await AdminFactor.query().where('id', id).update({ kind: 'totp' })
    assert.equal(await statusOf(sendForm(path, { name: 'No passkey' }, headers)), 404)
  })

  test('[U9, U10] a reset removes passkeys, and secrets are encrypted for their user', async ({
    assert,
  }) => {
    const factor = await AdminFactor.findByOrFail('userId', jo.id)
    assert.notInclude(factor.secret, key.id)
    const ada = await makeUser('ada')
    await factor.merge({ userId: ada.id }).save()
    assert.equal(await statusOf(logIn()), 401)
    await factor.merge({ userId: jo.id }).save()
    assert.equal(await statusOf(logIn()), 303)
    const { adminAuthentication } = await adminSite()
    const reset = await adminAuthentication.factors.reset(jo.id)
    assert.equal(reset.factors, 1)
    assert.equal(await statusOf(logIn()), 401)
  })
})
