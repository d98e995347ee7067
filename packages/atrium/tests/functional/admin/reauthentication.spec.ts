import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { engineRouter } from '#base/http/engine_router'
import { AdminUser, type AdminRole } from '#admin'
import {
  adminSite,
  ageSessions,
  callRaw,
  cookieIn,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  makeUser,
  PASSWORD,
  receivedCookies,
  sendForm,
} from '#tests/helpers/admin'
import { giveFactor, inMinutes, requireFactors } from '#tests/helpers/factors'
import { call, del, get, patch, post, type HttpResponse } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { partOf } from '#tests/helpers/random_runs'
import { makeRole, restoreRoles } from '#tests/helpers/roles'
import { issueToken } from '#tests/helpers/tokens'

const PROOF = '/admin/reauthenticate'
const GUARDED = ['AdminUser', 'AdminRole', 'AdminAccessToken']

/** What may be done without a proof: seeing, how a list looks, and seeing the site as a role; an export takes all along. */
const UNGUARDED =
  /^(GET (?!.*\/(create_page|reset_factors|export))|.*\/(columns|cards|views.*|preview\/:field|view_as\/:id)$)/

/* Milliseconds for many routes, on a busy machine */
const WALK = 120_000

function routesOf(names: string[]): Array<{ method: string; pattern: string }> {
  const own = new RegExp(`^/admin/(${names.join('|')})(/|$)`)
  return Object.values(engineRouter().toJSON())
    .flat()
    .flatMap(({ methods, pattern }) => methods.map((method) => ({ method, pattern })))
    .filter(({ method, pattern }) => method !== 'HEAD' && own.test(pattern))
}

const isRequested = ({ status, headers }: HttpResponse) =>
  status === 303 && headers.get('location')!.startsWith(`${PROOF}?next=`)

async function send(path: string, cookie: string, fields: Record<string, string> | string = {}) {
  return await sendForm(path, fields, { cookie })
}

async function state() {
  const tables = ['admin_users', 'admin_roles', 'admin_access_tokens', 'admin_user_roles']
  return await Promise.all(tables.map((table) => db.from(table)))
}

test.group('Admin | recent proof of identity', (group) => {
  let ada: AdminUser
  let jo: AdminUser
  let role: AdminRole
  let token: number
  let cookie: string

  group.setup(() => fakeHashes())
  group.teardown(() => restoreRoles())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    ada = await makeUser('ada')
    jo = await makeUser('jo', { isSuperuser: false })
    role = await makeRole('Clerk', {})
    const issued = await issueToken(jo)
    token = issued.id
    cookie = await cookiesOf(ada)
    await ageSessions(ada, 'created_at', { minutes: 11 })
    await emptyEventTables()
  })

  /** Every door that writes users, roles or access tokens, with what it would do */
  const doors = () => {
    const form = (path: string, fields: Record<string, string> | string) => () =>
      send(`/admin/${path}`, cookie, fields)
    const headers = { cookie }
    const ids = [jo.id]
    return {
      'form, new user': form('AdminUser/form_create', { username: 'al', password: PASSWORD }),
      'form, password': form(`AdminUser/form_update/${jo.id}`, { password: 'another long one' }),
      'form, superuser': form(`AdminUser/form_update/${jo.id}`, { is_superuser: 'true' }),
      'form, roles': form(`AdminUser/form_update/${jo.id}`, { roles: String(role.id) }),
      'form, own password': form(`AdminUser/form_update/${ada.id}`, {
        password: 'another long one',
      }),
      'cell': form(`AdminUser/cell/${jo.id}?field=is_superuser`, { is_superuser: 'true' }),
      'bulk edit': form('AdminUser/bulk-edit', {
        ids: String(jo.id),
        change: 'is_superuser',
        is_superuser: 'true',
      }),
      'bulk delete by a form': form('AdminUser/form_bulk_delete', {
        ids: String(jo.id),
        confirmed: '1',
      }),
      'token': form(`AdminUser/issue_token/${jo.id}`, { name: 'ci', abilities: '*' }),
      'revoked token': form('AdminAccessToken/form_bulk_delete', {
        ids: String(token),
        confirmed: '1',
      }),
      'reset': form(`AdminUser/reset_factors/${jo.id}`, {}),
      'new role': form('AdminRole/form_create', { name: 'Boss', permissions: '{}' }),
      'role': form(`AdminRole/form_update/${role.id}`, { name: 'Boss' }),
      'matrix': form(`AdminRole/form_update/${role.id}`, {
        permissions: '{"*":{"actions":["view"]}}',
      }),
      'deleted role': form('AdminRole/form_bulk_delete', { ids: String(role.id), confirmed: '1' }),
      'rest, new user': () =>
        post('/admin/AdminUser/crud', { username: 'al', password: PASSWORD }, { headers }),
      'rest, user': () =>
        patch(`/admin/AdminUser/crud/${jo.id}`, { is_superuser: true }, { headers }),
      'rest, roles': () =>
        patch(`/admin/AdminUser/crud/${jo.id}`, { roles: [role.id] }, { headers }),
      'rest, deleted': () => del(`/admin/AdminUser/crud/${jo.id}`, { headers }),
      'rest, deleted for good': () => del(`/admin/AdminUser/crud/db_delete/${jo.id}`, { headers }),
      'rest, new role': () =>
        post('/admin/AdminRole/crud', { name: 'Boss', permissions: {} }, { headers }),
      'rest, role': () => patch(`/admin/AdminRole/crud/${role.id}`, { name: 'Boss' }, { headers }),
      'rest, deleted role': () => del(`/admin/AdminRole/crud/${role.id}`, { headers }),
      'rest, revoked token': () => del(`/admin/AdminAccessToken/crud/${token}`, { headers }),
      'bulk delete': () =>
        call('DELETE', '/admin/AdminUser/bulk-delete', { headers, json: { ids } }),
      'bulk delete of all': () =>
        call('DELETE', '/admin/AdminUser/bulk-delete', {
          headers,
          json: { all: true, query: 'filter.username=jo', count: 1 },
        }),
      'bulk edit as json': () =>
        post('/admin/AdminUser/bulk-edit', { ids, values: { is_superuser: true } }, { headers }),
      'bulk delete of roles': () =>
        call('DELETE', '/admin/AdminRole/bulk-delete', { headers, json: { ids: [role.id] } }),
      'bulk delete of tokens': () =>
        call('DELETE', '/admin/AdminAccessToken/bulk-delete', { headers, json: { ids: [token] } }),
    }
  }

  test('[U11] all routes of users, roles and access tokens require a recent proof, and do nothing without it', async ({
    assert,
  }) => {
    const before = await state()
    for (const [name, knock] of Object.entries(doors())) {
      const response = await knock()
      if (/^rest|^bulk (delete$|edit as|delete of)/.test(name)) {
        assert.equal(response.status, 403, name)
        assert.equal(response.body.errors?.[0].rule, 'reauthentication_required', name)
      } else assert.isTrue(isRequested(response), `${name}: ${response.status}`)
      assert.deepEqual(await state(), before, name)
    }
  })

  test('[U11] all routes of users, roles and access tokens are accessible after a login', async ({
    assert,
  }) => {
    for (const name of Object.keys(doors())) {
      await db.from('admin_access_tokens').where('id', '!=', token).delete()
      cookie = await cookiesOf(await AdminUser.findOrFail(ada.id))
      const response = await doors()[name as keyof ReturnType<typeof doors>]()
      assert.isFalse(isRequested(response), name)
      assert.notInclude(response.text, 'reauthentication_required', name)
      assert.isBelow(response.status, 500, name)
    }
  }).timeout(WALK)

  test('[U11] no route of users, roles and access tokens writes without a recent proof', async ({
    assert,
  }) => {
    const routes = routesOf(GUARDED).filter(
      ({ method, pattern }) => !UNGUARDED.test(`${method} ${pattern}`)
    )
    assert.isAbove(routes.length, 30)
    const ids: Record<string, number> = {
      AdminUser: jo.id,
      AdminRole: role.id,
      AdminAccessToken: token,
    }
    for (const { method, pattern } of routes) {
      const id = ids[pattern.split('/')[2]]
      const path = pattern.replace(/:\w+\??/g, String(id))
      const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
      const response = await callRaw(method, path, headers)
      const name = `${method} ${pattern}`
      if (response.status === 403) assert.include(response.text, 'reauthentication_required', name)
      else assert.match(String(response.headers.location), /^\/admin\/reauthenticate\?/, name)
    }
  }).timeout(WALK)

  test('[U11] exports of users, roles and access tokens require a recent proof, and the export dialog opens after it', async ({
    assert,
  }) => {
    for (const name of GUARDED) {
      const path = `/admin/${name}/export?format=csv`
      const response = await get(path, { headers: { cookie, accept: 'text/html' } })
      assert.isTrue(isRequested(response), name)
      const next = new URL(response.headers.get('location')!, 'http://x').searchParams.get('next')
      assert.equal(next, `/admin/${name}/export/dialog?format=csv`)
      const { status } = await get(path, { headers: { cookie, accept: 'application/json' } })
      assert.equal(status, 403)
    }
    const others = await get('/admin/AdminSavedView/export?format=csv', { headers: { cookie } })
    assert.equal(others.status, 200)
    cookie = await cookiesOf(ada)
    const proved = await get('/admin/AdminUser/export?format=csv', { headers: { cookie } })
    assert.equal(proved.status, 200)
  })

  test('[U11, D1] repeating a job about users or roles requires a recent proof', async ({
    assert,
  }) => {
    const { jobs } = await adminSite()
    const found = await db.from('admin_sessions').where('user_id', ada.id).first()
    const { id } = await jobs.store.create({
      kind: 'bulk',
      user: ada,
      model: 'AdminUser',
      total: 1,
      payload: { task: 'delete', query: 'filter.username=jo', count: 1 },
      origin: { requestId: 'r', ip: '203.0.113.7', userAgent: null, sessionId: found.id },
    })
    await db.from('admin_jobs').where('id', id).update({ state: 'failed' })
    const path = `/admin/management/jobs/${id}`
    const response = await send(`${path}/again`, cookie)
    assert.equal(response.headers.get('location'), `${PROOF}?next=${encodeURIComponent(path)}`)
    const job = await db.from('admin_jobs').where('id', id).first()
    assert.equal(job.state, 'failed')
  })

  test('[U11] viewing users or changing the columns of their list requires no recent proof', async ({
    assert,
  }) => {
    const paths = ['/', `/update/${jo.id}`, '/crud', `/crud/${jo.id}`, `/history/${jo.id}`]
    for (const path of paths) {
      const { status } = await get(`/admin/AdminUser${path}`, { headers: { cookie } })
      assert.equal(status, 200, path)
    }
    const columns = await send('/admin/AdminUser/columns', cookie, { columns: 'username' })
    assert.isFalse(isRequested(columns))
  })

  test('[U11] every write of users, roles and access tokens requires a recent proof, even in application code', async ({
    assert,
  }) => {
    const site = await adminSite()
    const found = await db.from('admin_sessions').where('user_id', ada.id).first()
    const session = await site.sessionManager.activeOf(found.user_id)
    const actor = { kind: 'admin', user: ada, session: session[0].$attributes } as any
    const users = site.models.get('AdminUser')!.crud
    const roles = site.models.get('AdminRole')!.crud
    const writes = [
      () => users.create({ username: 'al', password: PASSWORD }, { actor }),
      () => users.update(jo.id, { isSuperuser: true }, { actor }),
      () => users.delete(jo.id, { actor }),
      () => users.dbDelete(jo.id, { actor }),
      () => users.deleteMany([jo.id], { actor }),
      () => roles.create({ name: 'Boss', permissions: {} }, { actor }),
      () => roles.update(role.id, { name: 'Boss' }, { actor }),
      () => roles.delete(role.id, { actor }),
      () => site.accessTokens.issue(jo, { name: 'x', abilities: ['*'] }, { actor }),
      () => site.accessTokens.revoke(jo, String(token), { actor }),
    ]
    const before = await state()
    for (const write of writes) {
      await assert.rejects(
        write as () => Promise<void>,
        'Enter your password or a code again first'
      )
    }
    assert.deepEqual(await state(), before)
  })

  test('[U11, R10] the input of a refused form is shown again after the proof, except the password', async ({
    assert,
  }) => {
    const requested = await send(`/admin/AdminUser/form_update/${jo.id}`, cookie, {
      username: 'joanna',
      password: 'a new secret one',
    })
    const page = requested.headers.get('location')!
    assert.notInclude(page, 'refused')
    const next = new URLSearchParams(page.split('?')[1]).get('next')!
    const proved = await send(PROOF, cookie, { password: PASSWORD, next })
    assert.equal(proved.headers.get('location'), next)
    const form = await get(next, { headers: { cookie: cookiesFrom(proved) } })
    assert.equal(form.status, 200)
    assert.include(form.text, 'value="joanna"')
    assert.include(form.text, 'as you had to confirm your identity first')
    assert.notInclude(form.text, 'a new secret one')
    assert.lengthOf(await AdminUser.query().where('username', 'jo'), 1)
  })

  test('[U11] after the proof, other refused forms lead back to their page, which reports that nothing was changed', async ({
    assert,
  }) => {
    const requested = await sendForm(
      '/admin/AdminUser/form_bulk_delete',
      { ids: String(jo.id), confirmed: '1' },
      { cookie, referer: `http://${process.env.HOST}:${process.env.PORT}/admin/AdminUser/?page=1` }
    )
    assert.equal(
      requested.headers.get('location'),
      `${PROOF}?next=%2Fadmin%2FAdminUser%2F%3Fpage%3D1&refused=1`
    )
    const proved = await send(PROOF, cookie, {
      password: PASSWORD,
      next: '/admin/AdminUser/?page=1',
      refused: '1',
    })
    assert.equal(proved.headers.get('location'), '/admin/AdminUser/?page=1')
    assert.isAbove(proved.headers.getSetCookie().length, 0)
    assert.isNotNull(await AdminUser.find(jo.id))
  })

  test('[U11] htmx and scripts are redirected to the confirmation page', async ({ assert }) => {
    const response = await sendForm(
      `/admin/AdminUser/form_update/${jo.id}`,
      { username: 'joanna' },
      { cookie, 'hx-request': 'true' }
    )
    assert.equal(response.status, 403)
    assert.match(response.headers.get('hx-redirect')!, /^\/admin\/reauthenticate\?next=/)
    const bulk = await call('DELETE', '/admin/AdminUser/bulk-delete', {
      headers: { cookie },
      json: { ids: [jo.id] },
    })
    assert.match(bulk.headers.get('hx-redirect')!, /^\/admin\/reauthenticate\?next=/)
  })
})

test.group('Admin | confirming one’s identity', (group) => {
  let ada: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    ada = await makeUser('ada')
    cookie = await cookiesOf(ada)
    await ageSessions(ada, 'created_at', { minutes: 11 })
    await emptyEventTables()
  })

  const isOpen = async () => {
    const { status } = await get('/admin/AdminUser/create_page', { headers: { cookie } })
    return status === 200
  }

  test('[U11] a correct password is a proof of identity for ten minutes', async ({ assert }) => {
    assert.isFalse(await isOpen())
    const page = await get(`${PROOF}?next=/admin/AdminUser/create_page`, { headers: { cookie } })
    assert.match(page.text, /name="password"[^>]* autocomplete="current-password"/)
    assert.notInclude(page.text, 'use=code')
    const response = await send(PROOF, cookie, {
      password: PASSWORD,
      next: '/admin/AdminUser/create_page',
    })
    assert.equal(response.headers.get('location'), '/admin/AdminUser/create_page')
    cookie = cookiesFrom(response)
    assert.isTrue(await isOpen())
    assert.isTrue(await inMinutes(9, isOpen))
    assert.isFalse(await inMinutes(10.1, isOpen))
    const again = await get(`${PROOF}?next=/admin/keys`, { headers: { cookie } })
    assert.equal(again.headers.get('location'), '/admin/keys')
  })

  test('[U11, B4] the session continues with a new id and token, and copies of the old ones are invalid', async ({
    assert,
  }) => {
    const sessions = await db.from('admin_sessions').select('id', 'session_id')
    const response = await send(PROOF, cookie, { password: PASSWORD })
    const renewed = cookiesFrom(response)
    assert.sameMembers(Object.keys(receivedCookies(response)), ['access_token', 'session_id'])
    const [before, ...others] = sessions
    const [after] = await db.from('admin_sessions').select('id', 'session_id')
    assert.isEmpty(others)
    assert.equal(after.id, before.id)
    assert.notEqual(after.session_id, before.session_id)
    assert.isFalse(await isSignedIn(cookie))
    assert.isTrue(await isSignedIn(renewed))
    const [id, token] = ['session_id', 'access_token'] as const
    assert.isFalse(
      await isSignedIn(`${id}=${cookieIn(renewed, id)}; ${token}=${cookieIn(cookie, token)}`)
    )
  })

  test('[U11] a proof of identity is valid only for its own session', async ({ assert }) => {
    const other = await cookiesOf(ada)
    await ageSessions(ada, 'created_at', { minutes: 11 })
    await send(PROOF, other, { password: PASSWORD })
    assert.isFalse(await isOpen())
  })

  test("[U11, U8] a one-time code is accepted as proof, and can't be used again", async ({
    assert,
  }) => {
    const app = await giveFactor(ada)
    cookie = await cookiesOf(ada)
    await ageSessions(ada, 'created_at', { minutes: 11 })
    const page = await get(PROOF, { headers: { cookie } })
    assert.include(page.text, 'use=code')
    const code = app.code()
    const response = await send(PROOF, cookie, { code })
    assert.equal(response.status, 303)
    cookie = cookiesFrom(response)
    assert.isTrue(await isOpen())
    const { adminAuthentication } = await adminSite()
    assert.isNull(await adminAuthentication.factors.take(ada.id, { code }))
  })

  test('[U11, B8] a wrong proof is shown, logged and throttled', async ({ assert }) => {
    const statuses = []
    for (let i = 0; i < 6; i++) {
      const response = await send(PROOF, cookie, { password: 'wrong' })
      statuses.push(response.status)
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
    assert.isFalse(await isOpen())
    const site = await adminSite()
    await site.events.settle()
    const events = await db.from('admin_event_log').where('event_type', 'FAILED_LOGIN')
    assert.lengthOf(events, 5)
    assert.equal(events[0].user_id, ada.id)
    assert.match(JSON.stringify(events[0].details), /proof/)
  })

  test('[U11] an empty password, or that of another user, is not a proof', async ({ assert }) => {
    await makeUser('jo', { password: 'the password of jo' })
    for (const fields of [{}, { password: '' }, { code: '' }, { password: 'the password of jo' }]) {
      const { status } = await send(PROOF, cookie, fields as Record<string, string>)
      assert.equal(status, 401)
    }
    assert.isFalse(await isOpen())
  })

  test("[U11, B3] confirming one's identity redirects only to pages of the site", async ({
    assert,
  }) => {
    for (const next of [
      '//evil.test',
      'https://evil.test/',
      '/admin/logout',
      '/admin/reauthenticate',
    ]) {
      const response = await send(PROOF, cookie, { password: PASSWORD, next })
      assert.equal(response.headers.get('location'), '/admin')
      cookie = cookiesFrom(response)
    }
  })
})

test.group('Admin | all routes while a second factor is missing', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(() => emptyAdminTables())

  test('[U10] only setting up a factor, confirming the identity and logging out are accessible', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await requireFactors('required'))
    const cookie = await cookiesOf(await makeUser('ada'))
    const open =
      /^\/admin(\/assets|\/invitation|\/login|\/logout|\/theme|\/reauthenticate|\/account\/factors\/(totp|passkeys))/
    const routes = Object.values(engineRouter().toJSON())
      .flat()
      .filter(({ pattern }) => /^\/admin(\/|$)/.test(pattern) && !open.test(pattern))
      .flatMap(({ methods, pattern }) => methods.map((method) => ({ method, pattern })))
    assert.isAbove(routes.length, 100)
    const knock = async ({ method, pattern }: (typeof routes)[number]) => {
      const path = pattern.replace(/:\w+\??|\*/g, '1')
      const { status, headers } = await callRaw(method, path, { cookie })
      const name = `${method} ${pattern}`
      if (/^\/admin\/\w+\/crud\b/.test(path)) return assert.equal(status, 403, name)
      /* It accepts access tokens only. */
      if (path === '/admin/mcp') return assert.equal(status, 401, name)
      assert.equal(status, 303, name)
      assert.equal(headers.location, '/admin/account/factors/totp', name)
    }
    /* One guard is before all of them, as in unauthenticated.spec.ts, which has every route. */
    const some = partOf(routes, 23)
    for (let i = 0; i < some.length; i += 16) {
      await Promise.all(some.slice(i, i + 16).map(knock))
    }
    const program = await get('/admin', { headers: { cookie, accept: 'application/json' } })
    assert.equal(program.body.errors[0].rule, 'second_factor_missing')
    const missing = await get('/admin/no-such-page', { headers: { cookie } })
    assert.equal(missing.headers.get('location'), '/admin/account/factors/totp')
    const htmx = await get('/admin/AdminUser/', { headers: { cookie, 'hx-request': 'true' } })
    assert.equal(htmx.headers.get('hx-redirect'), '/admin/account/factors/totp')
  }).timeout(WALK)
})
