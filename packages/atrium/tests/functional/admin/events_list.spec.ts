import { gzipSync } from 'node:zlib'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import type { AdminUser } from '#admin'
import { EventReader } from '#admin/event_log/event_reader'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { ago, emptyEventTables, logEvent, withIntegration } from '#tests/helpers/logged_events'
import { get } from '#tests/helpers/http'
import { insertRow, onSqlite } from '#tests/helpers/databases'

const PATH = '/admin/management/events'

/** Rows of the page: the event's id, and the text of each cell. */
function rowsOf(text: string) {
  return [...text.matchAll(/<tr role="row" [^>]*>(.*?)<\/tr>/gs)].map(([, row]) => {
    const cells = [...row.matchAll(/<td [^>]*>(.*?)<\/td>/gs)].map(([, cell]) => plain(cell))
    const [when, event, who, what, outcome, address] = cells
    const id = Number(/id="event-(\d+)"/.exec(row)![1])
    return { id, when, event, who, what, outcome, address, html: row }
  })
}

function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

test.group('Admin | the event log', (group) => {
  let ada: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['reels', 'utensils', 'logged_seats']) await db.from(table).delete()
    ada = await makeUser('ada')
    cookie = await cookiesOf(ada)
    await emptyEventTables()
  })

  async function page(query = '', headers: Record<string, string> = {}) {
    const response = await get(PATH + query, { headers: { cookie, ...headers } })
    return {
      ...response,
      rows: rowsOf(response.text),
      ids: rowsOf(response.text).map(({ id }) => id),
    }
  }

  async function makeReel(title: string): Promise<number> {
    const id = await insertRow('reels', { title, created_at: ago() })
    return id
  }

  test('[E5] events are listed newest first, then by id, 25 per page', async ({ assert }) => {
    const expected: number[] = []
    for (let minute = 0; minute < 30; minute++) {
      const timestamp = ago({ minutes: 60 - Math.floor(minute / 3) })
      expected.unshift(await logEvent({ timestamp }))
    }
    const old = await logEvent({ timestamp: ago({ days: 3 }) })

    const first = await page()
    assert.equal(first.status, 200)
    assert.deepEqual(first.ids, expected.slice(0, 25))
    assert.include(plain(first.text), '31 events')
    assert.include(plain(first.text), '1–25 of 31')
    const second = await page('?page=2')
    assert.deepEqual(second.ids, [...expected.slice(25), old])
    assert.include(plain(second.text), '26–31 of 31')
  }).tags(['@dialect'])

  test('[E5] each filter selects matching events: {query}')
    .tags(['@dialect'])
    .with([
      { query: '?event_type=LOGIN', expected: ['login'] },
      { query: '?event_type=login', expected: ['login'] },
      { query: '?status=failure', expected: ['failed'] },
      { query: '?username=ada', expected: ['login', 'seat'] },
      { query: '?username=ad', expected: [] },
      { query: '?username=%20ada%20', expected: ['login', 'seat'] },
      { query: '?resource_type=LoggedSeat', expected: ['seat'] },
      { query: '?resource_type=Gone', expected: ['gone'] },
      { query: '?username=ada&event_type=UPDATE', expected: ['seat'] },
      { query: '?event_type=&status=&username=', expected: ['login', 'seat', 'gone', 'failed'] },
      { query: '?event_type=LOGIN&event_type=DELETE', expected: ['gone'] },
    ])
    .run(async ({ assert }, { query, expected }) => {
      const ids: Record<string, number> = {
        login: await logEvent({ event_type: 'LOGIN', username: 'ada' }),
        seat: await logEvent({ username: 'ada', resource_type: 'LoggedSeat' }),
        gone: await logEvent({ event_type: 'DELETE', resource_type: 'Gone' }),
        failed: await logEvent({ status: 'failure', username: 'adam', event_type: 'VIEW' }),
      }
      const { ids: shown, text } = await page(query)
      assert.sameMembers(
        shown,
        expected.map((name) => ids[name])
      )
      const count = expected.length
      if (query !== '?event_type=&status=&username=') {
        assert.include(plain(text), count === 0 ? 'nothing found' : `${count} found`)
      }
    })

  test('[E5] consecutive views by one user are folded into one row that opens without JavaScript', async ({
    assert,
  }) => {
    for (let i = 0; i < 3; i++) await logEvent({ username: 'ada', event_type: 'VIEW' })
    await logEvent({ username: 'ada', event_type: 'UPDATE' })
    for (let i = 0; i < 2; i++) await logEvent({ username: 'bob', event_type: 'VIEW' })
    const { text } = await get(PATH, { headers: { cookie } })
    assert.match(plain(text), /3 views by ada/)
    assert.lengthOf(text.match(/id="event-\d+"/g)!, 6)
    assert.lengthOf(text.match(/class="event-fold"/g)!, 1)
    const { text: views } = await page('?event_type=VIEW')
    assert.notInclude(views, 'event-fold')
  })

  test('[E5] days in filters are in UTC, with the first and the last day included', async ({
    assert,
  }) => {
    const moments = [
      '2026-02-28 23:59:59',
      '2026-03-01 00:00:00',
      '2026-03-02 12:00:00',
      '2026-03-02 23:59:59',
      '2026-03-03 00:00:00',
    ]
    const ids: number[] = []
    for (const timestamp of moments) ids.push(await logEvent({ timestamp }))
    const both = await page('?start_date=2026-03-01&end_date=2026-03-02')
    assert.sameMembers(both.ids, ids.slice(1, 4))
    const from = await page('?start_date=2026-03-02')
    assert.sameMembers(from.ids, ids.slice(2))
    const to = await page('?end_date=2026-02-28')
    assert.sameMembers(to.ids, ids.slice(0, 1))
    const never = await page('?start_date=2026-03-02&end_date=2026-03-01')
    assert.isEmpty(never.ids)
  }).tags(['@dialect'])

  test('[E5, B15] of two pages, a request for page {asked} shows page {shown}')
    .with([
      { asked: '2', shown: 2 },
      { asked: '99', shown: 2 },
      { asked: '99999999999999999999999', shown: 2 },
      { asked: '0', shown: 1 },
      { asked: '-4', shown: 1 },
      { asked: 'abc', shown: 1 },
      { asked: '1.5', shown: 1 },
      { asked: '', shown: 1 },
      { asked: '1&page=2', shown: 2 },
    ])
    .run(async ({ assert }, { asked: requested, shown }) => {
      for (let i = 0; i < 26; i++) await logEvent()
      const { status, ids, text } = await page(`?page=${requested}`)
      assert.equal(status, 200)
      assert.lengthOf(ids, shown === 1 ? 25 : 1)
      assert.match(text, new RegExp(`id="page-${shown}"[^>]*aria-current="page"`))
    })

  test('[E5] an invalid filter is ignored and reported: {query}')
    .tags(['@dialect'])
    .with([
      { query: '?event_type=NOPE', name: 'Event' },
      { query: '?status=maybe', name: 'Outcome' },
      { query: '?start_date=2026-02-30', name: 'From day (UTC)' },
      { query: '?end_date=yesterday', name: 'To day (UTC)' },
      { query: '?end_date=9999-12-31', name: 'To day (UTC)' },
      { query: '?username=a%00b', name: 'User name' },
      { query: `?resource_type=${'x'.repeat(300)}`, name: 'Model' },
    ])
    .run(async ({ assert }, { query, name }) => {
      const id = await logEvent()
      const { status, ids, text } = await page(query)
      assert.equal(status, 200)
      assert.deepEqual(ids, [id])
      assert.include(plain(text), `these filters are invalid: ${name}.`)
    })

  test('[E5] no query string causes an error on the event log: {query}')
    .tags(['@dialect'])
    .with([
      { query: '?page[]=1&event_type[a]=b&status[]=x' },
      { query: '?username=%FF%FE&resource_type=%' },
      { query: '?__proto__=x&constructor=y&page=__proto__' },
      { query: "?username=' or 1=1 --&start_date=' or 1" },
    ])
    .run(async ({ assert }, { query }) => {
      await logEvent()
      const { status } = await page(query)
      assert.equal(status, 200)
    })

  test('[E5] links to other pages and the form preserve the filters', async ({ assert }) => {
    for (let i = 0; i < 26; i++) await logEvent({ username: 'a&b', event_type: 'VIEW' })
    const { text } = await page('?username=a%26b&event_type=VIEW')
    assert.include(text, `${PATH}?event_type=VIEW&amp;username=a%26b&amp;page=2`)
    assert.match(text, /name="username"[^>]*value="a&amp;b"/)
    assert.match(text, /<option value="VIEW" selected/)
    assert.match(text, /id="clear-filters" href="\/admin\/management\/events"/)
  })

  test('[E5] a row shows time, type, actor, record, outcome and address', async ({ assert }) => {
    const reel = await makeReel('Casablanca')
    await logEvent({
      timestamp: '2026-03-02 14:05:09',
      username: 'ada',
      resource_type: 'Reel',
      resource_id: String(reel),
      ip_address: '2001:db8::7',
    })
    await logEvent({
      timestamp: '2026-03-01 14:05:09',
      event_type: 'DELETE',
      status: 'failure',
      username: null,
      ip_address: null,
      resource_type: 'Reel',
      resource_id: null,
      details: { count: 1200, soft: true },
    })
    const { rows } = await page()
    assert.equal(rows[0].when, '2 Mar 2026, 14:05:09')
    assert.include(rows[0].html, 'title="2026-03-02 14:05:09 UTC"')
    assert.include(rows[0].html, 'datetime="2026-03-02T14:05:09Z"')
    assert.equal(rows[0].event, 'Changed')
    assert.include(rows[0].html, '<svg')
    assert.equal(rows[0].who, 'ada')
    assert.equal(rows[0].what, 'Reel Casablanca')
    assert.include(rows[0].html, `<a href="/admin/Reel/update/${reel}"`)
    assert.equal(rows[0].outcome, 'Success')
    assert.equal(rows[0].address, '2001:db8::7')

    assert.equal(rows[1].event, 'Deleted')
    assert.equal(rows[1].who, 'A command or the application')
    assert.equal(rows[1].what, '1,200 reels can be restored')
    assert.equal(rows[1].outcome, 'Failure')
    assert.equal(rows[1].address, '– Empty')
  })

  test('[E2, E5] a write by an anonymous request is not attributed to a command', async ({
    assert,
  }) => {
    await logEvent({ username: null, resource_type: 'Reel' })
    const { rows } = await page()
    assert.equal(rows[0].who, 'Anonymous user')
  })

  test('[E5] an event links to its record as long as the record exists', async ({ assert }) => {
    const deleted = await insertRow('utensils', {
      name: 'Lamp',
      description: '',
      category: 'x',
      price: 1,
      is_deleted: true,
      created_at: ago(),
    })
    await db.table('logged_seats').insert({ hall: 7, place: 'a/b', label: 'Balcony' })
    const cases = [
      { resource_type: 'Reel', resource_id: '987654', what: 'Reel 987654' },
      { resource_type: 'Utensil', resource_id: String(deleted), what: `Utensil ${deleted}` },
      { resource_type: 'Gone', resource_id: '1', what: 'Gone 1' },
      { resource_type: 'Reel', resource_id: 'abc', what: 'Reel abc' },
      { resource_type: 'Reel', resource_id: '%E0%A4%A', what: 'Reel %E0%A4%A' },
      { resource_type: 'LoggedSeat', resource_id: '7', what: 'Logged seat 7' },
      {
        resource_type: 'LoggedSeat',
        resource_id: '7/a%2Fb',
        what: 'Logged seat Balcony',
        href: '/admin/LoggedSeat/update/7/a%2Fb',
      },
    ]
    for (const one of cases) {
      await logEvent({ resource_type: one.resource_type, resource_id: one.resource_id })
    }
    const { rows } = await page()
    for (const [index, { what, href }] of cases.toReversed().entries()) {
      assert.equal(rows[index].what, what)
      const links = [...rows[index].html.matchAll(/href="([^"]*update[^"]*)"/g)].map(
        ([, url]) => url
      )
      assert.deepEqual(links, href ? [href] : [])
    }
  })

  test("[E5] texts from users are escaped, on one line, and can't change the text direction of the page", async ({
    assert,
  }) => {
    const reel = await makeReel('<i>"Reel"</i> {{ 7*7 }}')
    await logEvent({
      event_type: 'FAILED_LOGIN',
      status: 'failure',
      username: '</td><script>alert(1)</script>\u202Ecba\n',
      ip_address: '"><img src=x>',
      user_agent: '<svg onload=x>',
      resource_type: 'Reel',
      resource_id: String(reel),
      details: { reason: 'credentials', odd: '</span><b>' },
    })
    await logEvent({
      username: `🎬"><em>${'W'.repeat(10_000)}`,
      event_type: '<u>',
      resource_type: '<s>',
    })
    const { text, rows, status } = await page('?username=&resource_type=')
    assert.equal(status, 200)
    assert.notMatch(text, /<script>alert|<img|<svg onload|<i>|<b>|<u>|<s>|<em>|\u202e/)
    assert.equal(rows[0].event, '&lt;u&gt;')
    assert.isBelow(rows[0].who.length, 120)
    assert.match(rows[0].who, /^🎬&quot;&gt;&lt;em&gt;W+…$/u)
    assert.match(rows[0].html, /<bdi title="🎬&quot;&gt;&lt;em&gt;W+…?"/u)
    assert.equal(rows[1].who, '&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;⟨U+202E⟩cba⟨U+000A⟩')
    assert.include(rows[1].what, '&lt;i&gt;&quot;Reel&quot;&lt;/i&gt; {{ 7*7 }}')
    assert.include(rows[1].what, 'wrong name or password')
    const filtered = await page(`?username=${encodeURIComponent('"><script>x</script>')}`)
    assert.notInclude(filtered.text, '<script>x')
  }).skip(!onSqlite, 'texts as long fit into no column of other databases')

  test('[B13] a user who is not a superuser cannot read the log and has no link', async ({
    assert,
  }) => {
    await logEvent({ username: 'somebody-else' })
    const bob = await cookiesOf(await makeUser('bob', { isSuperuser: false }))
    const id = await logEvent()
    for (const path of [PATH, `${PATH}/${id}`]) {
      const { status, text } = await get(path, { headers: { cookie: bob } })
      assert.equal(status, 403, path)
      assert.notInclude(text, 'somebody-else')
      assert.notInclude(text, `href="${PATH}`)
    }
    /* The former address of a history leads to the record's own, which is for its viewers. */
    const previous = await get(`${PATH}/record/Reel/1`, { headers: { cookie: bob } })
    assert.equal(previous.headers.get('location'), '/admin/Reel/history/1')
    assert.notInclude(previous.text, 'somebody-else')
    const { status } = await get('/admin/Reel/history/1', { headers: { cookie: bob } })
    assert.equal(status, 404)
    const { text } = await page()
    assert.match(text, new RegExp(`<a href="${PATH}" title="Events" [^>]*aria-current="page">`))
  })

  test('[B6] an anonymous request is redirected to the login', async ({ assert }) => {
    for (const path of [PATH, `${PATH}/1`, `${PATH}/record/Reel/1`]) {
      const { status, headers } = await get(path)
      assert.equal(status, 303, path)
      assert.match(headers.get('location')!, /^\/admin\/login\?error=required/)
    }
  })

  test('[E2] without the database integration, the event log has no pages and no links', async ({
    assert,
    cleanup,
  }) => {
    const reel = await makeReel('Casablanca')
    const id = await logEvent({ resource_type: 'Reel', resource_id: String(reel) })
    const other = { log: async () => {} }
    for (const integration of [undefined, other]) {
      const restore = await withIntegration(integration)
      cleanup(restore)
      for (const path of [PATH, `${PATH}/${id}`, `${PATH}/record/Reel/${reel}`]) {
        const { status, text } = await get(path, { headers: { cookie } })
        assert.equal(status, 404, path)
        assert.notInclude(text, `href="${PATH}`)
      }
      restore()
    }
    const { status } = await page()
    assert.equal(status, 200)
  })

  test("[E5] an event log that can't be read is shown as an error", async ({ assert, cleanup }) => {
    const { list } = EventReader.prototype
    cleanup(() => void (EventReader.prototype.list = list))
    EventReader.prototype.list = async () => {
      throw new Error('no such table: admin_event_log')
    }
    const { status, text } = await page()
    assert.equal(status, 200)
    assert.include(text, 'The event log could not be read')
    assert.notInclude(text, 'no such table')
  }).tags(['@dialect'])

  test('[E5] an empty log, and a filter without matches, explain what to do next', async ({
    assert,
  }) => {
    const empty = await page()
    assert.include(empty.text, 'No events yet')
    await logEvent()
    const none = await page('?username=nobody')
    assert.include(none.text, 'Nothing found')
    assert.include(none.text, 'Clear filters')
  })

  test('[B24] htmx receives only the content of the event log, in a small response with the new URL', async ({
    assert,
  }) => {
    const now = DateTime.utc()
    for (let i = 0; i < 60; i++) {
      const reel = await makeReel(`A reel with a title of its own, number ${i * 7919}`)
      await logEvent({
        timestamp: now.minus({ minutes: i * 7 }).toFormat('yyyy-MM-dd HH:mm:ss'),
        event_type: ['CREATE', 'UPDATE', 'VIEW'][i % 3],
        username: ['ada', 'grace.hopper', 'jo'][i % 3],
        ip_address: `198.51.100.${i}`,
        resource_type: 'Reel',
        resource_id: String(reel),
      })
    }
    const { status, text, headers, ids } = await page('?page=2&status=', { 'hx-request': 'true' })
    assert.equal(status, 200)
    assert.lengthOf(ids, 25)
    assert.match(text.trim(), /^<div id="events-content"/)
    assert.notMatch(text, /<html|<nav class="side"|<head>/)
    assert.match(headers.get('vary')!, /hx-request/i)
    assert.equal(headers.get('hx-push-url'), `${PATH}?page=2`)
    assert.isAtMost(gzipSync(text).length, 10 * 1024)
  })
})
