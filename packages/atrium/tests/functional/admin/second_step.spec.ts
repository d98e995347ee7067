import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import AdminFactor from '#admin/models/admin_factor'
import {
  adminSite,
  cookiesFrom,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  login,
  makeUser,
  PASSWORD,
  receivedCookies,
  sendForm,
} from '#tests/helpers/admin'
import { giveFactor, inMinutes, type GivenFactor } from '#tests/helpers/factors'
import { captureLog } from '#tests/helpers/captured_log'
import { call, get, type HttpResponse, locationOf, statusOf } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { queriesOf } from '#tests/helpers/queries'

const SECOND = '/admin/login/second'

async function firstStep(username = 'jo'): Promise<string> {
  const response = await login(username)
  return cookiesFrom(response)
}

async function send(cookie: string, fields: Record<string, string>): Promise<HttpResponse> {
  return await sendForm(SECOND, fields, { cookie })
}

function isRefused({ status, headers }: HttpResponse): boolean {
  const cookies = headers.getSetCookie().filter((line) => /^(access_token|session_id)=/.test(line))
  return (status === 401 || /login\?error=/.test(headers.get('location')!)) && cookies.length === 0
}

test.group('Admin | the second step of a login', (group) => {
  let jo: AdminUser
  let app: GivenFactor

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    jo = await makeUser('jo')
    app = await giveFactor(jo)
    await emptyEventTables()
  })

  test('[U8] the right password redirects to the second step, and does not log in', async ({
    assert,
  }) => {
    const response = await login('jo', undefined, { next: '/admin/Utensil/?page=2' })
    assert.equal(response.status, 303)
    const place = response.headers.get('location')!
    assert.equal(place, `${SECOND}?next=%2Fadmin%2FUtensil%2F%3Fpage%3D2`)
    const cookies = receivedCookies(response)
    assert.deepEqual(Object.keys(cookies), ['login_step'])
    assert.includeMembers(cookies.login_step.attributes, [
      'max-age=300',
      'path=/admin/login',
      'httponly',
      'samesite=lax',
    ])
    assert.isEmpty(await db.from('admin_sessions'))
    const cookie = cookiesFrom(response)
    assert.isFalse(await isSignedIn(cookie))

    const { status, text } = await get(place, { headers: { cookie } })
    assert.equal(status, 200)
    assert.match(text, /name="code"[^>]* autocomplete="one-time-code"/)
    assert.include(text, `href="${SECOND}?use=recovery&amp;next=%2Fadmin%2FUtensil%2F%3Fpage%3D2"`)
    assert.include(text, 'name="next" value="/admin/Utensil/?page=2"')

    const done = await send(cookie, { code: app.code(), next: '/admin/Utensil/?page=2' })
    assert.equal(done.status, 303)
    assert.equal(done.headers.get('location'), '/admin/Utensil/?page=2')
    const { login_step: left, ...session } = receivedCookies(done)
    assert.equal(left.value, '')
    assert.sameMembers(Object.keys(session), ['access_token', 'admin_device', 'session_id'])
    assert.isTrue(await isSignedIn(cookiesFrom(done)))
  })

  test('[U8, B3] a wrong password gets the same response with and without a factor', async ({
    assert,
  }) => {
    await makeUser('al')
    const responses = await Promise.all(['jo', 'al', 'nobody'].map((name) => login(name, 'wrong')))
    const [first, ...others] = responses.map(({ status, text, headers }) => ({
      status,
      text: text.replace(/value="\w+"/g, ''),
      cookies: headers.getSetCookie(),
    }))
    assert.equal(first.status, 401)
    assert.isEmpty(first.cookies)
    for (const other of others) assert.deepEqual(other, first)
  })

  test('[U8, B3] factors are read only after a right password', async ({ assert }) => {
    const looked = async (password: string, name = 'jo') => {
      const queries = await queriesOf(() => login(name, password))
      return queries.filter((sql) => sql.includes('admin_factors')).length
    }
    assert.equal(await looked('wrong'), 0)
    assert.equal(await looked('wrong', 'nobody'), 0)
    assert.isAbove(await looked(PASSWORD), 0)
  })

  test('[U8] a code is valid once, and then codes of earlier time steps are invalid, too', async ({
    assert,
  }) => {
    const code = app.code()
    assert.equal(await statusOf(send(await firstStep(), { code })), 303)
    assert.isTrue(isRefused(await send(await firstStep(), { code })))
    assert.isTrue(isRefused(await send(await firstStep(), { code: app.code(-1) })))
    assert.equal(await statusOf(send(await firstStep(), { code: app.code(1) })), 303)
  }).tags(['@database'])

  test('[U8] of concurrent logins with one code, one succeeds', async ({ assert }) => {
    await db.from('admin_rate_limits').delete()
    const steps = []
    for (let i = 0; i < 4; i++) steps.push(await firstStep())
    const code = app.code()
    const responses = await Promise.all(steps.map((step) => send(step, { code })))
    assert.lengthOf(
      responses.filter(({ status }) => status === 303),
      1
    )
    const { id } = await AdminFactor.findByOrFail('userId', jo.id)
    const { adminAuthentication } = await adminSite()
    const takes = Array.from({ length: 8 }, () =>
      adminAuthentication.factors.take(jo.id, { code: app.code(1) })
    )
    const taken = await Promise.all(takes)
    assert.lengthOf(
      taken.filter((one) => one !== null),
      1
    )
    const { counter } = await AdminFactor.findOrFail(id)
    assert.isNotNull(counter)
  }).tags(['@database'])

  test('[U8] a code of the previous or next time step is accepted, and none further away')
    .with([
      [1, true],
      /* A step may go by until it is compared; totp.spec.ts has the exact bounds. */
      [3, false],
      [-2, false],
    ])
    .run(async ({ assert }, [steps, isTaken]) => {
      const response = await send(await firstStep(), { code: app.code(steps as number) })
      assert.equal(response.status === 303, isTaken)
      assert.equal(isRefused(response), !isTaken)
    })

  test('[U8] without a first step, or with a forged one, the second step returns to the login', async ({
    assert,
  }) => {
    const code = app.code()
    const without = await sendForm(SECOND, { code })
    assert.equal(without.headers.get('location'), '/admin/login?error=required')
    const step = await firstStep()
    const other = `${step.slice(0, -8)}AAAAAAAA`
    for (const cookie of [other, 'login_step=x', 'login_step=', `login_step=${'a'.repeat(2000)}`]) {
      const response = await send(cookie, { code })
      assert.isTrue(isRefused(response))
      assert.equal(await statusOf(get(SECOND, { headers: { cookie } })), 303)
    }
    assert.isEmpty(await db.from('admin_sessions'))
    /* None of them has used the code. */
    assert.equal(await statusOf(send(step, { code })), 303)
  })

  test('[U8] a first step is valid for five minutes', async ({ assert }) => {
    const step = await firstStep()
    const late = await inMinutes(5.1, () => send(step, { code: app.code() }))
    assert.equal(late.headers.get('location'), '/admin/login?error=again')
    assert.isTrue(isRefused(late))
    const inTime = await inMinutes(4.8, () => send(step, { code: app.code() }))
    assert.equal(inTime.status, 303)
  }).tags(['@database'])

  test('[U8] a first step is valid for one login, of its own user', async ({ assert }) => {
    const al = await makeUser('al')
    const other = await giveFactor(al)
    const step = await firstStep('jo')
    assert.isTrue(isRefused(await send(step, { code: other.code() })))
    assert.isTrue(isRefused(await send(step, { recovery_code: other.recoveryCodes[0] })))
    assert.equal(await statusOf(send(step, { code: app.code() })), 303)
    const again = await send(step, { code: app.code(1) })
    assert.equal(again.headers.get('location'), '/admin/login?error=again')
    assert.isTrue(isRefused(again))
  })

  test('[U8, B7] a new password or removed factors invalidate a first step', async ({ assert }) => {
    const { adminUserService, adminAuthentication } = await adminSite()
    const before = await firstStep()
    await adminUserService.setPassword(jo, 'another long one')
    assert.isTrue(isRefused(await send(before, { code: app.code() })))
    await adminUserService.setPassword(jo, 'correct horse')
    const step = await firstStep()
    await adminAuthentication.factors.reset(jo.id)
    assert.isTrue(isRefused(await send(step, { recovery_code: app.recoveryCodes[0] })))
    assert.equal(await locationOf(login('jo')), '/admin')
  })

  test('[U8] a recovery code is single-use, and accepted in any case and grouping', async ({
    assert,
  }) => {
    const [first, second] = app.recoveryCodes
    const page = await get(`${SECOND}?use=recovery`, { headers: { cookie: await firstStep() } })
    assert.match(page.text, /name="recovery_code"/)
    assert.notMatch(page.text, /name="code"/)
    const done = await send(await firstStep(), {
      recovery_code: first.toUpperCase().replaceAll('-', ' '),
    })
    assert.equal(done.status, 303)
    const home = await get('/admin', { headers: { cookie: cookiesFrom(done) } })
    assert.include(home.text, 'You have 9 more.')
    const again = await send(await firstStep(), { recovery_code: first })
    assert.isTrue(isRefused(again))
    assert.include(again.text, 'This recovery code is not valid, or it was already used.')
    assert.equal(await statusOf(send(await firstStep(), { recovery_code: second })), 303)
  }).tags(['@database'])

  test('[U8] of concurrent uses of a recovery code, one succeeds', async ({ assert }) => {
    const { adminAuthentication } = await adminSite()
    const recoveryCode = app.recoveryCodes[3]
    const takes = Array.from({ length: 8 }, () =>
      adminAuthentication.factors.take(jo.id, { recoveryCode })
    )
    const taken = await Promise.all(takes)
    assert.deepEqual(
      taken.filter((one) => one !== null),
      ['recovery_code']
    )
  }).tags(['@database'])

  test('[U8, B8] wrong codes are throttled together with wrong passwords, and a right password does not reset the count', async ({
    assert,
  }) => {
    const statuses = []
    for (let i = 0; i < 5; i++) {
      const response = await send(await firstStep(), { code: '000000' })
      statuses.push(response.status)
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401])
    const step = await login('jo')
    assert.equal(step.status, 429)
  }).tags(['@database'])

  test('[U8, B8] a throttled second step shows the time to wait, and refuses even a correct code', async ({
    assert,
  }) => {
    const step = await firstStep()
    for (let i = 0; i < 5; i++) await send(step, { code: '000000' })
    const response = await send(step, { code: app.code() })
    assert.equal(response.status, 429)
    assert.isAbove(Number(response.headers.get('retry-after')), 800)
    assert.include(response.text, 'Too many attempts. Try again in 15 minutes.')
    assert.isEmpty(await db.from('admin_sessions'))
  })

  test('[U8, B8] codes of a user are throttled across all addresses', async ({ assert }) => {
    const { adminAuthentication } = await adminSite()
    const { throttle } = adminAuthentication
    const waits = []
    for (let i = 0; i < 21; i++) waits.push(await throttle.attemptFactor(jo, `192.0.2.${i}`))
    assert.isTrue(waits.slice(0, 20).every((wait) => wait === undefined))
    assert.isAbove(waits[20]!, 800)
    /* The password is not locked by that. */
    assert.isUndefined(await throttle.attempt('jo', '198.51.100.1'))
  }).tags(['@database'])

  test('[U8, E2] a failed second step is logged as a failed login, and a right one as a login', async ({
    assert,
  }) => {
    const step = await firstStep()
    await send(step, { code: '000000' })
    await send(step, { code: app.code() })
    const site = await adminSite()
    await site.events.settle()
    const events = await db.from('admin_event_log').orderBy('id')
    assert.deepEqual(
      events.map(({ event_type: type, status, user_id: user, details }) => ({
        type,
        status,
        user,
        details: typeof details === 'string' ? JSON.parse(details) : details,
      })),
      [
        {
          type: 'FAILED_LOGIN',
          status: 'failure',
          user: jo.id,
          details: { reason: 'second_factor' },
        },
        { type: 'LOGIN', status: 'success', user: jo.id, details: { factor: 'totp' } },
      ]
    )
  })

  test('[U8] API clients are informed that a code is required', async ({ assert }) => {
    const response = await login('jo', undefined, { headers: { accept: 'application/json' } })
    assert.equal(response.status, 401)
    assert.match(response.headers.get('content-type')!, /^application\/problem\+json/)
    const { errors } = JSON.parse(response.text)
    assert.equal(errors[0].rule, 'second_factor_required')
    const done = await send(cookiesFrom(response), { code: app.code() })
    assert.isTrue(await isSignedIn(cookiesFrom(done)))
  })

  test('[U8, B9] a cross-site request can’t submit the second step', async ({ assert }) => {
    const cookie = await firstStep()
    const { status } = await call('POST', SECOND, {
      body: new URLSearchParams({ code: app.code() }).toString(),
      headers: {
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
      },
    })
    assert.equal(status, 403)
  })

  test('[U8, E4] no code or secret is in the log of a login', async ({ assert, cleanup }) => {
    const lines = captureLog(cleanup)
    const step = await firstStep()
    await send(step, { code: '000000' })
    await send(step, { recovery_code: app.recoveryCodes[0] })
    const text = JSON.stringify(lines())
    assert.include(text, 'Login failed: second step')
    assert.notInclude(text, app.secret)
    assert.notInclude(text, app.recoveryCodes[0])
    assert.notInclude(text, '000000')
  })
})
