import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { AdminSession, type AdminUser } from '#admin'
import { ListController } from '#admin/list/list_controller'
import { UpdateController } from '#admin/forms/update_controller'
import { Plain } from '#tests/fixtures/events'
import {
  adminSite,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  login,
  makeUser,
  PASSWORD,
} from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { call, get } from '#tests/helpers/http'
import { loggedEvents, statusOf, idOf } from '#tests/helpers/model_events'
import { PageNotFound } from '#admin/http/errors'

test.group('The event log | login and logout', (group) => {
  let user: AdminUser
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    user = await makeUser('ada')
    await emptyEventTables()
  })

  test('[S59, S60] login and logout are logged with user, address and session', async ({
    assert,
  }) => {
    const response = await login('ada', PASSWORD, { headers: { 'user-agent': 'Test/1' } })
    const cookie = cookiesFrom(response)
    const session = await AdminSession.firstOrFail()
    await get('/admin/logout', { headers: { cookie, 'user-agent': 'Test/1' } })
    const events = await loggedEvents()
    for (const [index, eventType] of ['LOGIN', 'LOGOUT'].entries()) {
      assert.deepInclude(events[index].$attributes, {
        eventType,
        status: 'success',
        userId: user.id,
        username: 'ada',
        sessionId: session.id,
        userAgent: 'Test/1',
        resourceType: null,
      })
      assert.isNotNull(events[index].ipAddress)
    }
    assert.lengthOf(events, 2)
    const text = JSON.stringify(await db.from('admin_event_log'))
    for (const pair of cookie.split('; ')) {
      assert.notInclude(text, pair.slice(pair.indexOf('=') + 1))
    }
    assert.notInclude(text, session.sessionId)
  })

  test('[S60, E4] failed logins are failures with the typed name, never the password', async ({
    assert,
  }) => {
    await login('ada', 'wrong horse')
    await login('nobody', 'wrong horse')
    await login(`x\u0000\u001b[2J${'y'.repeat(60)}`, 'wrong horse')
    const events = await loggedEvents()
    assert.deepEqual(
      events.map(({ eventType, status, userId, username, details }) => [
        eventType,
        status,
        userId,
        username,
        details?.reason,
      ]),
      ['ada', 'nobody', `x\ufffd\ufffd[2J${'y'.repeat(26)}`].map((name) => [
        'FAILED_LOGIN',
        'failure',
        null,
        name,
        'credentials',
      ])
    )
    assert.notInclude(JSON.stringify(await db.from('admin_event_log')), 'wrong horse')
  })

  test("[S60, B8] throttled attempts are not logged as events, so the log can't be flooded", async ({
    assert,
  }) => {
    for (let attempt = 0; attempt < 8; attempt++) await login('ada', 'wrong horse')
    assert.lengthOf(await loggedEvents('FAILED_LOGIN'), 5)
  })

  test('[B5] showing the logout confirmation page is not logged', async ({ assert }) => {
    const cookie = await cookiesOf(user)
    await get('/admin/logout', { headers: { cookie, 'sec-fetch-site': 'cross-site' } })
    assert.isEmpty(await loggedEvents('LOGOUT'))
  })
})

test.group('The event log | views', (group) => {
  const realUpdatePage = UpdateController.prototype.page
  let cookie: string
  let id: number

  /* The content does not matter here, only that the pages were shown. */
  group.setup(() => {
    const list = ListController.prototype.page
    const update = UpdateController.prototype.page
    ListController.prototype.page = async () => 'a list'
    UpdateController.prototype.page = async (ctx) => {
      if (ctx.params.id === '99') throw new PageNotFound()
      return 'a form'
    }
    return () => {
      ListController.prototype.page = list
      UpdateController.prototype.page = update
    }
  })
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('ada'))
    id = await idOf(Plain.create({ name: 'one', value: 1 }))
    await emptyEventTables()
  })

  test('[S60, E2, R16] views of lists, forms and records are logged with model and record', async ({
    assert,
  }) => {
    const session = await AdminSession.firstOrFail()
    for (const path of ['/', `/update/${id}`, `/view/${id}`]) {
      assert.equal(await statusOf(get(`/admin/Plain${path}`, { headers: { cookie } })), 200)
    }
    const events = await loggedEvents('VIEW')
    assert.deepEqual(
      events.map(({ username, sessionId, resourceType, resourceId, details }) => ({
        username,
        sessionId,
        resourceType,
        resourceId,
        details,
      })),
      [
        { resourceId: null, details: { page: 'list' } },
        { resourceId: String(id), details: { page: 'update' } },
        { resourceId: String(id), details: { page: 'view' } },
      ].map((view) => ({
        username: 'ada',
        sessionId: session.id,
        resourceType: 'Plain',
        ...view,
      })) as any
    )
  })

  test('[E2] parts of pages, HEAD requests, errors and redirects are not logged as views', async ({
    assert,
  }) => {
    await get('/admin/Plain/', { headers: { cookie, 'hx-request': 'true' } })
    await call('HEAD', '/admin/Plain/', { headers: { cookie } })
    assert.equal(await statusOf(get('/admin/Plain/update/99', { headers: { cookie } })), 404)
    assert.equal(await statusOf(get('/admin/Plain/')), 303)
    await get('/admin', { headers: { cookie } })
    assert.isEmpty(await loggedEvents())
  })

  test('[E2] a request for a missing record is not logged as a view, and one for an existing record is', async ({
    assert,
    cleanup,
  }) => {
    const { page } = UpdateController.prototype
    cleanup(() => void (UpdateController.prototype.page = page))
    UpdateController.prototype.page = realUpdatePage
    const ids = [String(id + 1), 'abc', String(id)]
    const statuses: number[] = []
    for (const each of ids) {
      const response = get(`/admin/Plain/update/${each}`, { headers: { cookie } })
      statuses.push(await statusOf(response))
    }
    assert.deepEqual(statuses, [404, 404, 200])
    const events = await loggedEvents()
    assert.deepEqual(
      events.map(({ eventType, resourceId }) => [eventType, resourceId]),
      [['VIEW', String(id)]]
    )
  })

  test('[E2] the logging of views can be disabled', async ({ assert, cleanup }) => {
    const { events } = await adminSite()
    const integration = events.integration as { logViews: boolean | 'records' }
    cleanup(() => void (integration.logViews = true))
    const seen = await Plain.create({ name: 'Seen' })
    await emptyEventTables()
    const view = async (logViews: boolean | 'records') => {
      integration.logViews = logViews
      for (const path of ['/admin/Plain/', `/admin/Plain/update/${seen.id}`]) {
        await get(path, { headers: { cookie } })
      }
      const logged = await loggedEvents()
      return logged.map(({ details }) => details?.page)
    }
    assert.deepEqual(await view(false), [])
    assert.deepEqual(await view('records'), ['update'])
  })
})
