import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { EventReader } from '#admin/event_log/event_reader'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { ago, emptyEventTables, logEvent, withIntegration } from '#tests/helpers/logged_events'
import { get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { makeRole, restoreRoles } from '#tests/helpers/roles'
import { readersOf } from '#base/database/sqlite/sqlite_connection'

/** The sentences on the dashboard as plain text. */
function sentences(text: string): string[] {
  const [, part = ''] = /id="dashboard-recent"(.*?)<\/section>/s.exec(text) ?? []
  return [...part.matchAll(/<\/svg><\/span>(.*?)<time/gs)].map(([, sentence]) =>
    sentence
      .replace(/<[^>]*>/g, '')
      .replace(/\s+/g, ' ')
      .trim()
  )
}

test.group('Admin | recent activity', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    cookie = await cookiesOf(await makeUser('ada'))
    await emptyEventTables()
    /* The events of Reel 5 are about a record that does not exist. */
    await db.from('reels').delete()
    return () => restoreRoles()
  })

  async function page(as = cookie, path = '/admin') {
    const response = await get(path, { headers: { cookie: as } })
    return { ...response, recent: sentences(response.text) }
  }

  test('[B23] events are shown newest first, as sentences with links', async ({ assert }) => {
    const reel = { resource_type: 'Reel', resource_id: '5' }
    const events = [
      { event_type: 'CREATE', username: 'ada', ...reel },
      { event_type: 'UPDATE', username: null, ...reel },
      {
        event_type: 'UPDATE',
        username: 'jo',
        resource_type: 'Reel',
        details: { restored: true, count: 2 },
      },
      { event_type: 'DELETE', username: 'jo', resource_type: 'Reel', details: { count: 1200 } },
      { event_type: 'DELETE', username: 'jo', ...reel, details: { soft: true } },
      { event_type: 'LOGIN', username: 'jo' },
      { event_type: 'LOGOUT', username: 'jo' },
      { event_type: 'FAILED_LOGIN', status: 'failure', username: 'mallory' },
      { event_type: 'UPDATE', status: 'failure', username: '<b>{{ 7*7 }}\u202E', ...reel },
      { event_type: 'VIEW', username: 'jo', ...reel },
      { event_type: 'EXPORT', username: 'jo', resource_type: 'Reel', details: { count: 22 } },
    ]
    let last = 0
    for (const [index, event] of events.entries()) {
      last = await logEvent({ timestamp: ago({ minutes: 20 - index }), ...event })
    }
    for (const path of ['/admin', '/admin/dashboard-content']) {
      const { recent, text } = await page(cookie, path)
      assert.deepEqual(recent, [
        'jo exported 22 reels',
        '&lt;b&gt;{{ 7*7 }}⟨U+202E⟩ failed to change Reel 5',
        'jo deleted Reel 5',
        'jo deleted 1,200 reels for good',
        'jo restored 2 reels',
        'Anonymous user changed Reel 5',
        'ada created Reel 5',
      ])
      assert.include(text, `href="/admin/management/events/${last - 2}"`)
      assert.include(text, '<a href="/admin/management/events">All events</a>')
      assert.include(text, '>12 minutes ago</time>')
    }
  })

  test('[B23, R9] an event links to its version of the record, for users who can see all records of the model', async ({
    assert,
  }) => {
    const reel = { resource_type: 'Reel', resource_id: '5' }
    const event = await logEvent({ event_type: 'DELETE', username: 'jo', ...reel }, [
      { ...reel, before: { title: 'Casablanca' }, after: null },
    ])
    const clerk = { isSuperuser: false, roles: ['Reels'] }
    await makeRole('Reels', { Reel: { actions: ['view'] } })
    const kim = await cookiesOf(await makeUser('kim', clerk))
    const { text } = await page(kim)
    const link = `/admin/Reel/history/5?version=${event}`
    assert.include(text, `href="${link}"`)
    const version = await get(link, { headers: { cookie: kim } })
    assert.equal(version.status, 200)
    assert.include(version.text, 'Casablanca')
    await makeRole('Titles', { Reel: { actions: ['view'], hidden: ['director'] } })
    const some = await makeUser('kai', { isSuperuser: false, roles: ['Titles'] })
    assert.notInclude(await its(page(await cookiesOf(some)), 'text'), '/history/')
  })

  test('[B23, U4] records in recent activity have the titles that the viewer can see', async ({
    assert,
    cleanup,
  }) => {
    const empty = async () => void (await db.from('utensils').delete())
    await empty()
    cleanup(empty)
    const named = { id: 5, name: 'Ladle', description: '', category: 'x', price: 1 }
    await db.table('utensils').insert({ ...named, created_at: '2026-01-02 03:04:05' })
    await logEvent({ username: 'jo', resource_type: 'Utensil', resource_id: '5' })
    assert.deepEqual(await its(page(), 'recent'), ['jo changed Utensil Ladle'])
    await makeRole('Nameless', { Utensil: { actions: ['view'], hidden: ['name'] } })
    const kai = await makeUser('kai', { isSuperuser: false, roles: ['Nameless'] })
    assert.notInclude(await its(page(await cookiesOf(kai)), 'text'), 'Ladle')
  })

  test('[B23] events without a request are attributed to the application', async ({ assert }) => {
    await logEvent({ username: null, ip_address: null, resource_type: 'Reel' })
    const { recent } = await page()
    assert.deepEqual(recent, ['A command or the application changed Reels'])
  })

  test('[B23] recent activity shows at most ten events', async ({ assert }) => {
    for (let i = 0; i < 12; i++) await logEvent({ username: `u${i}`, resource_type: 'Reel' })
    const { recent } = await page()
    assert.lengthOf(recent, 10)
    assert.equal(recent[0], 'u11 changed Reels')
  })

  test('[B13, B23] a user who is not a superuser sees events of models that they can view', async ({
    assert,
  }) => {
    const bob = await cookiesOf(await makeUser('bob', { isSuperuser: false }))
    await emptyEventTables()
    const hidden = [
      { resource_type: 'AdminUser', resource_id: '1' },
      { event_type: 'LOGIN' },
      { event_type: 'FAILED_LOGIN', status: 'failure' },
      { resource_type: 'LoggedDiary', resource_id: '1' },
      { resource_type: 'Gone', resource_id: '1' },
    ]
    await logEvent({ username: 'jo', resource_type: 'Reel', resource_id: '5' })
    for (let i = 0; i < 3; i++) {
      for (const event of hidden) await logEvent({ username: 'mallory', ...event })
    }
    const { recent, text } = await page(bob)
    assert.deepEqual(recent, ['jo changed Reel 5'])
    assert.notMatch(text, /mallory|192\.0\.2|management\/events/)
    const { recent: all } = await page()
    assert.lengthOf(all, 10)
  })

  test('[E2, B23] without the database integration, recent activity is not shown', async ({
    assert,
    cleanup,
  }) => {
    await logEvent()
    cleanup(await withIntegration(undefined))
    const { text, status } = await page()
    assert.equal(status, 200)
    assert.notInclude(text, 'Recent activity')
  })

  test('[B23] recent activity that can’t be read is shown as a dash, and the other parts of the dashboard are shown', async ({
    assert,
    cleanup,
  }) => {
    const { recent } = EventReader.prototype
    cleanup(() => void (EventReader.prototype.recent = recent))
    EventReader.prototype.recent = async () => {
      throw new Error('no such table: admin_event_log')
    }
    const { text, status } = await page()
    assert.equal(status, 200)
    assert.match(text, /recent-gap[^>]*><span aria-hidden="true">–/)
    assert.include(text, 'id="count-Utensil"')
    assert.notInclude(text, 'no such table')
  })

  test('[B23] the dashboard reads the event log with two queries, also for a viewer who wrote nothing', async ({
    assert,
    cleanup,
  }) => {
    for (let i = 0; i < 12; i++) {
      await logEvent({ resource_type: i % 2 ? 'Reel' : 'Utensil', resource_id: String(i) })
    }
    const queries: string[] = []
    const note = ({ sql }: { sql: string }) =>
      void (/admin_event_log|admin_audit_log/.test(sql) && queries.push(sql))
    const writer = db.connection()
    const clients = [writer, readersOf(writer)].flatMap((one) => one?.getReadClient().client ?? [])
    for (const client of clients) client.on('query', note)
    cleanup(() => clients.forEach((client) => client.removeListener('query', note)))
    const { recent } = await page()
    assert.lengthOf(recent, 10)
    assert.lengthOf(queries, 2)
  })

  test('[B23] without events, recent activity says what will be shown there', async ({
    assert,
  }) => {
    const { text } = await page()
    assert.include(text, 'No activity yet')
  })
})
