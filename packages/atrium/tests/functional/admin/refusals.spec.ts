import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { AdminEventLog, type AdminUser } from '#admin'
import { defineConfig } from '#crud/define_config'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
} from '#tests/helpers/admin'
import { captureLog } from '#tests/helpers/captured_log'
import { insertRow } from '#tests/helpers/databases'
import { call, get, statusOf } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { makeRole, giveRoles, restoreRoles } from '#tests/helpers/roles'
import { issueToken } from '#tests/helpers/tokens'

/** Refused requests among the logged events, the latest last */
async function refusals() {
  const site = await adminSite()
  await site.refusals.settle()
  await site.events.settle()
  return await AdminEventLog.query().where('eventType', 'REFUSED').orderBy('id')
}

async function insertPlay(town: string): Promise<number> {
  return await insertRow('plays', { title: 'Hamlet', town, created_at: '2026-01-01 00:00:00' })
}

test.group('The event log | refused requests', (group) => {
  let viewer: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('play_tickets').delete()
    await db.from('plays').delete()
    await restoreRoles()
    viewer = await makeUser('vi', { isSuperuser: false })
    await makeRole('Viewer', { Play: { actions: ['view'], scopes: ['east'] } })
    await giveRoles(viewer, ['Viewer'])
    cookie = await cookiesOf(viewer)
    await emptyEventTables()
  })
  group.teardown(() => restoreRoles())

  test('the log contains the user, the request and the reason of a refusal', async ({
    assert,
    cleanup,
  }) => {
    const lines = captureLog(cleanup)
    const id = await insertPlay('east')
    await get('/admin/AdminUser/', { headers: { cookie } })
    const path = `/admin/Play/crud/${id}?title=QZXSECRET`
    const json = { title: 'QZXSECRET' }
    assert.equal(await statusOf(call('PATCH', path, { json, headers: { cookie } })), 403)

    const [page, write] = await refusals()
    const by = { status: 'failure', userId: viewer.id, username: 'vi' }
    assert.deepInclude(page.$attributes, { ...by, resourceType: 'AdminUser', resourceId: null })
    assert.deepInclude(page.details, {
      status: 403,
      reason: 'permission',
      method: 'GET',
      route: '/admin/AdminUser',
    })
    assert.isNotNull(page.ipAddress)
    assert.deepInclude(write.$attributes, { ...by, resourceType: 'Play', resourceId: `${id}` })
    assert.deepInclude(write.details, { method: 'PATCH', route: '/admin/Play/crud/:id' })
    const told = lines().filter(({ msg }) => msg === 'Request refused')
    assert.lengthOf(told, 2)
    assert.deepInclude(told[1], {
      user: 'vi',
      method: 'PATCH',
      route: '/admin/Play/crud/:id',
      model: 'Play',
      key: `${id}`,
      reason: 'permission',
    })
    assert.notInclude(JSON.stringify([await db.from('admin_event_log'), lines()]), 'QZXSECRET')
  })

  test('a request with an invalid token, without the ability, or for an owner without the role is logged', async ({
    assert,
  }) => {
    const secret = 'oat_MQ.QZXSECRET'
    await get('/api/plays', { headers: { authorization: `Bearer ${secret}` } })
    const limited = await issueToken(viewer, ['Stage:read'], { name: 'nightly' })
    await get('/api/plays', { headers: limited.headers })
    const full = await issueToken(viewer, ['*'], { name: 'full' })
    await call('POST', '/api/plays', { json: { title: 'x' }, headers: full.headers })
    const found = await refusals()
    assert.deepEqual(
      found.map(({ details, username }) => [
        details!.status,
        details!.reason,
        details!.token_name,
        username,
      ]),
      [
        [401, 'token_invalid', undefined, null],
        [403, 'ability', 'nightly', 'vi'],
        [403, 'permission', 'full', 'vi'],
      ]
    )
    const text = JSON.stringify(await db.from('admin_event_log'))
    for (const part of ['QZXSECRET', limited.token, full.token]) assert.notInclude(text, part)
  })

  test('an anonymous write and the use of an ended session are logged, an anonymous visit is not', async ({
    assert,
  }) => {
    await get('/admin/Play/')
    await get('/admin/nothing/at/all')
    await get('/api/plays')
    await get('/admin/Play/crud')
    assert.lengthOf(await refusals(), 0)
    await call('POST', '/api/plays', { json: { title: 'x' } })
    await get('/admin/Play/', { headers: { cookie: 'session_id=gone; access_token=gone' } })
    const found = await refusals()
    const reasons = found.map(({ details }) => details!.reason)
    assert.deepEqual(reasons, ['token_missing', 'session_ended'])
  })

  test('a 404 caused by missing permissions is logged as a refusal, and a 404 of a missing record is not', async ({
    assert,
  }) => {
    const far = await insertPlay('west')
    const { headers } = await issueToken(viewer)
    for (const id of [far + 1000, far]) {
      for (const path of [`/admin/Play/view/${id}`, `/admin/Play/crud/${id}`]) {
        assert.equal(await statusOf(get(path, { headers: { cookie } })), 404)
      }
      assert.equal(await statusOf(get(`/api/plays/${id}`, { headers })), 404)
    }
    assert.equal(await statusOf(get('/admin/Stage/', { headers: { cookie } })), 404)
    const found = await refusals()
    assert.sameDeepMembers(
      found.map(({ details, resourceId }) => [details!.status, details!.route, resourceId]),
      [
        [404, '/admin/Play/view/:id', `${far}`],
        [404, '/admin/Play/crud/:id', `${far}`],
        [404, '/api/plays/:id', `${far}`],
        [404, '/admin/Stage', null],
      ]
    )
  })

  test('refusals for the same reason are logged once a minute, whatever the keys, queries and user agents', async ({
    assert,
    cleanup,
  }) => {
    const lines = captureLog(cleanup)
    for (let id = 1; id <= 30; id++) {
      const headers = { cookie, 'user-agent': `Test/${id}` }
      await get(`/admin/AdminUser/update/${id}?q=${id}`, { headers })
    }
    assert.lengthOf(await refusals(), 1)
    assert.lengthOf(
      lines().filter(({ msg }) => msg === 'Request refused'),
      1
    )
  })

  test('cross-site writes and throttled logins are logged', async ({ assert }) => {
    const headers = { cookie, 'sec-fetch-site': 'cross-site' }
    await call('POST', '/admin/Play/form_create', { headers })
    for (let attempt = 0; attempt < 7; attempt++) await login('vi', 'QZXSECRET')
    const found = await refusals()
    assert.deepEqual(
      found.map(({ details, username }) => [details!.status, details!.reason, username]),
      [
        [403, 'cross_site', null],
        [429, 'throttled', null],
      ]
    )
    assert.lengthOf(await AdminEventLog.query().where('eventType', 'FAILED_LOGIN'), 5)
    assert.notInclude(JSON.stringify(await db.from('admin_event_log')), 'QZXSECRET')
  })

  test('an invalid token for the API page is logged', async ({ assert, cleanup }) => {
    const config = app.config.get('crud')
    app.config.set('crud', defineConfig({ docs: 'token' }))
    cleanup(() => app.config.set('crud', config))
    assert.equal(await statusOf(get('/docs')), 401)
    assert.isEmpty(await refusals())
    await get('/docs', { headers: { authorization: 'Bearer QZXSECRET' } })
    const [{ details }] = await refusals()
    assert.deepInclude(details, { status: 401, reason: 'token_invalid', route: '/docs' })
  })

  test('the page of the event shows the refused request', async ({ assert }) => {
    await get('/admin/AdminUser/', { headers: { cookie } })
    const [{ id }] = await refusals()
    const reader = await makeUser('super')
    const headers = { cookie: await cookiesOf(reader) }
    const { text } = await get(`/admin/management/events/${id}`, { headers })
    for (const part of ['Refused', 'no permission', 'GET /admin/AdminUser']) {
      assert.include(text, part)
    }
  })
})
