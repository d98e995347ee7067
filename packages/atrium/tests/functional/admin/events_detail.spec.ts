import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { ago, emptyEventTables, logEvent } from '#tests/helpers/logged_events'
import { get, patch } from '#tests/helpers/http'
import { insertRow } from '#tests/helpers/databases'

const PATH = '/admin/management/events'

interface Comparison {
  title: string
  /** Label and cells of each row of the table */
  fields: Record<string, string[]>
  unchanged: Record<string, string>
  columns: string[]
}

function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Changes of the records on a page. */
function comparisons(text: string): Comparison[] {
  return [...text.matchAll(/<article.*?>(.*?)<\/article>/gs)].map(([, article]) => {
    const [, header] = /<header>(.*?)<\/header>/s.exec(article)!
    const [, head = ''] = /<thead.*?>(.*?)<\/thead>/s.exec(article) ?? []
    const [, body = ''] = /<tbody.*?>(.*?)<\/tbody>/s.exec(article) ?? []
    const [, rest = ''] = /<dl[^>]*>(.*?)<\/dl>/s.exec(article) ?? []
    const fields = [...body.matchAll(/<th[^>]*>(.*?)<\/th>(.*?)<\/tr>/gs)].map(
      ([, name, cells]) => {
        const values = [...cells.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => plain(cell))
        return [plain(name), values] as const
      }
    )
    /* The only change of an entry is one line. */
    const [, single, line] =
      /Changed: (.*?)\s*<span class="event-single">(.*?)<\/p>/s.exec(article) ?? []
    if (single) {
      const values = [...line.matchAll(/<bdi[^>]*>(.*?)<\/bdi>/gs)].map(([, value]) => plain(value))
      fields.push([plain(single), values])
    }
    const unchanged = [...rest.matchAll(/<dt[^>]*>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)]
    return {
      title: plain(header),
      columns: [...head.matchAll(/<th [^>]*>(.*?)<\/th>/gs)].map(([, cell]) => plain(cell)),
      fields: Object.fromEntries(fields),
      unchanged: Object.fromEntries(
        unchanged.map(([, name, value]) => [plain(name), plain(value)])
      ),
    }
  })
}

test.group('Admin | event page', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['reels', 'logged_seats']) await db.from(table).delete()
    cookie = await cookiesOf(await makeUser('ada'))
    await emptyEventTables()
  })

  async function page(path: string | number) {
    const history = /^record\/(\w+)\/(.*)$/.exec(String(path))
    const url = history ? `/admin/${history[1]}/history/${history[2]}` : `${PATH}/${path}`
    const response = await get(url, { headers: { cookie } })
    return { ...response, plain: plain(response.text), records: comparisons(response.text) }
  }

  test('[E5] an update shows old and new values with the labels of the form', async ({
    assert,
  }) => {
    await db.table('logged_seats').insert({ hall: 7, place: 'a/b', label: 'Stalls' })
    const before = { hall: 7, place: 'a/b', label: 'Balcony' }
    const id = await logEvent(
      {
        timestamp: '2026-03-02 14:05:09',
        username: 'ada',
        user_id: 3,
        session_id: 41,
        ip_address: '192.0.2.77',
        user_agent: 'Mozilla/5.0 (Test)',
        resource_type: 'LoggedSeat',
        resource_id: '7/a%2Fb',
      },
      [
        {
          resource_type: 'LoggedSeat',
          resource_id: '7/a%2Fb',
          before,
          after: { ...before, label: 'Stalls' },
        },
      ]
    )
    const { status, plain: text, records, text: html } = await page(id)
    assert.equal(status, 200)
    assert.lengthOf(records, 1)
    assert.deepEqual(records[0].columns, ['Field', 'Before', 'After'])
    assert.deepEqual(records[0].fields, { 'Written on it': ['Balcony', 'Stalls'] })
    assert.deepEqual(records[0].unchanged, { Hall: '7', Place: 'a/b' })
    assert.match(html, /<details class="event-unchanged">\s*<summary>2 unchanged fields/)
    for (const fact of [
      'Changed',
      'Success',
      '2 Mar 2026, 14:05:09',
      'ada user 3',
      'Logged seat Stalls',
      '192.0.2.77',
      'Mozilla/5.0 (Test)',
      'Session 41',
    ]) {
      assert.include(text, fact)
    }
    assert.include(html, 'href="/admin/LoggedSeat/history/7/a%2Fb"')
  })

  test('[E5] a created record has no old values, a deleted one no new values', async ({
    assert,
  }) => {
    const reel = { id: 5, title: 'Casablanca', director: null }
    const record = { resource_type: 'Reel', resource_id: '5' }
    const made = await page(
      await logEvent({ event_type: 'CREATE', ...record }, [
        { ...record, before: null, after: reel },
      ])
    )
    assert.deepEqual(made.records[0].columns, ['Field', 'After'])
    assert.deepEqual(made.records[0].fields, { ID: ['5'], Title: ['Casablanca'] })
    assert.deepEqual(made.records[0].unchanged, { Director: 'Empty' })
    const removed = await page(
      await logEvent({ event_type: 'DELETE', ...record }, [
        { ...record, before: reel, after: null },
      ])
    )
    assert.deepEqual(removed.records[0].columns, ['Field', 'Before'])
    assert.deepEqual(removed.records[0].fields, { ID: ['5'], Title: ['Casablanca'] })
    /* The deleted record keeps its title. */
    assert.include(removed.records[0].title, 'Reel Casablanca')
  })

  test('[E3, E5] a write over HTTP is shown with its actor, request and values', async ({
    assert,
  }) => {
    const row = { title: 'Casablanca', imdb_rating: 8.5, created_at: ago() }
    const reel = await insertRow('reels', row)
    await patch(`/api/reels/${reel}`, { title: 'Casablanca (1942)', imdb_rating: null })
    const [{ id }] = await db.from('admin_event_log').where('event_type', 'UPDATE')
    const { records, plain: text } = await page(id)
    assert.deepEqual(records[0].fields.Title, ['Casablanca', 'Casablanca (1942)'])
    assert.deepEqual(records[0].fields['IMDB rating'], ['8.5', 'Empty'])
    assert.property(records[0].unchanged, 'Director')
    assert.include(text, 'Reel Casablanca (1942)')
  })

  test('[E5] the page of an event with many records shows 25 of them at a time', async ({
    assert,
  }) => {
    const states = Array.from({ length: 1000 }, (_, index) => ({
      resource_type: 'Reel',
      resource_id: String(index + 1),
      before: { id: index + 1, title: `Reel no. ${index + 1}.` },
      after: null,
    }))
    const id = await logEvent(
      { event_type: 'DELETE', resource_type: 'Reel', details: { count: 1000 } },
      states
    )
    const first = await page(id)
    assert.lengthOf(first.records, 25)
    assert.include(first.plain, 'The 1,000 records')
    assert.include(first.plain, '1,000 reels')
    assert.deepEqual(first.records[24].fields.Title, ['Reel no. 25.'])
    const second = await page(`${id}?page=2`)
    assert.deepEqual(second.records[0].fields.Title, ['Reel no. 26.'])
    const last = await page(`${id}?page=999`)
    assert.deepEqual(last.records.at(-1)!.fields.Title, ['Reel no. 1000.'])
    const unreadable = await page(`${id}?page=abc`)
    assert.deepEqual(unreadable.records, first.records)
  })

  test('[E5] the page of an unknown event is a 404: {id}')
    .with([
      { id: '987654' },
      { id: 'abc' },
      { id: '1.5' },
      { id: '-1' },
      { id: '9'.repeat(30) },
      { id: '0x1' },
      { id: '%00' },
      { id: '1%20or%201' },
    ])
    .run(async ({ assert }, { id }) => {
      await logEvent()
      const { status, text } = await page(id)
      assert.equal(status, 404)
      assert.include(text, 'Page not found')
      assert.include(text, '<nav class="side"')
    })

  test('[E4] a column that is hidden now is not shown, even if it was logged', async ({
    assert,
  }) => {
    const state = { hall: 7, place: 'a', label: 'x', code: 'the-secret' }
    const record = { resource_type: 'LoggedSeat', resource_id: '7/a' }
    const id = await logEvent(record, [
      { ...record, before: state, after: { ...state, label: 'y', code: 'another-secret' } },
    ])
    const { text, records } = await page(id)
    assert.deepEqual(records[0].fields, { 'Written on it': ['x', 'y'] })
    assert.notMatch(text, /secret/)
  })

  test('[E5] events of a model that was removed from the application are still shown', async ({
    assert,
  }) => {
    const record = { resource_type: 'GoneModel', resource_id: '12' }
    const id = await logEvent(record, [
      { ...record, before: { first_name: 'Jo', at: null }, after: { first_name: 'Al', at: null } },
    ])
    const { status, records, text } = await page(id)
    assert.equal(status, 200)
    assert.deepEqual(records[0].fields, { 'First name': ['Jo', 'Al'] })
    assert.notInclude(text, '/record/GoneModel')
  })

  test('[E5] values are escaped, and long ones are shown in full', async ({ assert }) => {
    const long = `${'x'.repeat(5000)}<script>alert(2)</script>${'y'.repeat(5000)}`
    const before = {
      title: '<script>alert(1)</script>',
      director: '{{ 7*7 }} ${7*7} <%= 7 %>',
      source: long,
      major_genre: 'שלום \u202E abc 🎬',
      us_gross: 12,
      mpaa_rating: '',
      extra: { nested: ['<b>', true] },
      flag: true,
    }
    const after = { ...before, title: 'Plain', director: null, source: 'short', flag: false }
    const record = { resource_type: 'Reel', resource_id: '5' }
    const id = await logEvent(
      { ...record, user_agent: `"><img src=x onerror=alert(1)>${'A'.repeat(220)}` },
      [{ ...record, before, after }]
    )
    const { text, records } = await page(id)
    assert.notMatch(text, /<script>alert|<img|<b>/)
    assert.equal(records[0].fields.Title[0], '&lt;script&gt;alert(1)&lt;/script&gt;')
    assert.include(records[0].fields.Director[0], '{{ 7*7 }} ${7*7}')
    assert.include(
      text,
      `${'x'.repeat(5000)}&lt;script&gt;alert(2)&lt;/script&gt;${'y'.repeat(5000)}`
    )
    assert.match(records[0].fields.Source[0], /^x{199}… 10,025 characters/)
    assert.include(text, '<bdi class="event-text" data-kind="text">שלום ⟨U+202E⟩ abc 🎬</bdi>')
    assert.deepEqual(records[0].fields.Flag, ['Yes', 'No'])
    assert.equal(records[0].unchanged['MPAA rating'], 'Empty text')
    assert.equal(records[0].unchanged['US gross'], '12')
    assert.include(records[0].unchanged.Extra, '&quot;nested&quot;')
  })

  test('[E5] an event without a record shows its actor, time and reason', async ({ assert }) => {
    const id = await logEvent({
      event_type: 'FAILED_LOGIN',
      status: 'failure',
      username: 'mallory',
      details: { reason: 'credentials' },
    })
    const { plain: text, records } = await page(id)
    assert.isEmpty(records)
    for (const fact of ['Failed login', 'Failure', 'mallory', 'wrong name or password']) {
      assert.include(text, fact)
    }
  })

  test('[E5] the history of a record shows its changes only, newest first', async ({ assert }) => {
    const seat = { resource_type: 'LoggedSeat', resource_id: '7/a%2Fb' }
    const other = { resource_type: 'LoggedSeat', resource_id: '7/a' }
    const reel = { resource_type: 'Reel', resource_id: '7/a%2Fb' }
    const state = (label: string) => ({ hall: 7, place: 'a/b', label })
    const write = (minutes: number, event: object, states: any[]) =>
      logEvent({ timestamp: ago({ minutes }), ...event }, states)
    await write(30, { event_type: 'CREATE', username: 'ada', ...seat }, [
      { ...seat, before: null, after: state('One') },
    ])
    const second = await write(20, { username: '<b>eve', details: { count: 2 } }, [
      { ...seat, before: state('One'), after: state('Two') },
      { ...other, before: state('Other'), after: state('Others') },
    ])
    await write(15, reel, [{ ...reel, before: state('Reel'), after: state('Reel!') }])
    await write(10, { event_type: 'DELETE', username: null, ...seat }, [
      { ...seat, before: state('Two'), after: null },
    ])
    const { status, records, text } = await page('record/LoggedSeat/7/a%2Fb')
    assert.equal(status, 200)
    assert.deepEqual(
      records.map(({ fields }) => fields['Written on it']),
      [['Two'], ['One', 'Two'], ['One']]
    )
    assert.match(
      records[0].title,
      /^Deleted for good .* Anonymous user Event \d+ Show this version : .*$/
    )
    assert.match(
      records[1].title,
      /^Changed .* &lt;b&gt;eve together with other records Event \d+ Show this version : .*$/
    )
    assert.match(records[2].title, /^Created .* ada Event \d+ Show this version : .*$/)
    assert.include(text, `href="${PATH}/${second}"`)
    assert.include(text, '<h1>History of Two</h1>')
    assert.notMatch(text, /Others|Reel!|<b>/)
  })

  test('[P14, E5] a record that the scope hides has no history page, a deleted record has one', async ({
    assert,
  }) => {
    await db.from('portraits').delete()
    const row = (title: string, owner: string) => insertRow('portraits', { title, owner })
    const [own, foreign, gone] = [await row('Own', 'ada'), await row('Foreign', 'bob'), 999_999]
    const state = (id: number, title: string) => ({
      resource_type: 'Portrait',
      resource_id: String(id),
      before: null,
      after: { id, title },
    })
    const event = await logEvent({ event_type: 'CREATE', resource_type: 'Portrait' }, [
      state(own, 'Own'),
      state(foreign, 'Foreign'),
      state(gone, 'Gone'),
    ])
    const one = await get(`${PATH}/${event}`, { headers: { cookie } })
    for (const title of ['Own', 'Gone']) assert.include(one.text, title)
    assert.notInclude(one.text, 'Foreign')
    for (const [id, status] of [
      [own, 200],
      [foreign, 404],
      [gone, 200],
    ]) {
      const history = await get(`/admin/Portrait/history/${id}`, { headers: { cookie } })
      assert.equal(history.status, status, String(id))
      assert.notInclude(history.text, 'Foreign')
    }
  })

  test('[E5] a long history is paged', async ({ assert }) => {
    const record = { resource_type: 'Reel', resource_id: '5' }
    for (let step = 0; step < 26; step++) {
      await logEvent(record, [
        { ...record, before: { title: `Step ${step}` }, after: { title: `Step ${step + 1}` } },
      ])
    }
    const first = await page('record/Reel/5')
    assert.lengthOf(first.records, 25)
    assert.deepEqual(first.records[0].fields.Title, ['Step 25', 'Step 26'])
    assert.include(first.text, 'href="/admin/Reel/history/5?page=2"')
    const second = await page('record/Reel/5?page=2')
    assert.deepEqual(
      second.records.map(({ fields }) => fields.Title),
      [['Step 0', 'Step 1']]
    )
  })

  test('[E5] the history of a record without events is empty, that of an unknown record is 404', async ({
    assert,
  }) => {
    const reel = await insertRow('reels', { title: 'Casablanca', created_at: ago() })
    const empty = await page(`record/Reel/${reel}`)
    assert.equal(empty.status, 200)
    assert.include(empty.text, 'History of Casablanca')
    assert.include(empty.text, 'No history of this record')
    assert.include(empty.text, `href="/admin/Reel/update/${reel}"`)
    for (const path of ['Reel/987654', 'Reel/abc', 'Nothing/1', 'LoggedSeat/7', 'Reel/1/2']) {
      const { status } = await page(`record/${path}`)
      assert.equal(status, 404, path)
    }
  })
})
