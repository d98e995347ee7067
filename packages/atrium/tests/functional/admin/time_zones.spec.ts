import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { AdminAuditLog, AdminEventLog } from '#admin'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { onSqlite } from '#tests/helpers/databases'
import { formOf } from '#tests/helpers/forms'
import { call, get, post } from '#tests/helpers/http'
import { getList, textOf, unescape } from '#tests/helpers/list_page'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { audited, loggedEvents } from '#tests/helpers/model_events'
import { runs } from '#tests/helpers/random_runs'
import { Ferry, Sailing } from '#tests/fixtures/zones'

const PREFERENCES = '/admin/account/preferences'
const BERLIN = 'Europe/Berlin'
const SAO_PAULO = 'America/Sao_Paulo'
const KIRITIMATI = 'Pacific/Kiritimati'

/** Of October's change in Berlin: 02:30 for the first and for the second time */
const FIRST = '2026-10-25 00:30:00'
const SECOND = '2026-10-25 01:30:00'

test.group('Admin | time zones', (group) => {
  let cookie: string

  group.tap((one) => one.tags(['@database']))
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    for (const model of [Sailing, Ferry]) await model.query().delete()
    cookie = await cookieIn(BERLIN, 'bo')
  })

  /** Cookies of a new user with a time zone. */
  async function cookieIn(zone: string, name = zone.replace(/\W/g, '').toLowerCase()) {
    const own = await cookiesOf(await makeUser(name))
    await sendForm(PREFERENCES, { time_zone: zone }, { cookie: own })
    return own
  }

  const open = (path: string, as = cookie) => get(`/admin/${path}`, { headers: { cookie: as } })
  const send = (path: string, fields: Record<string, string>, as = cookie) =>
    sendForm(`/admin/${path}`, fields, { cookie: as })

  /** A row as it is written here, whatever Lucid would make of it. */
  async function row(values: Record<string, unknown> = {}): Promise<number> {
    await db.table('zone_sailings').insert({ name: 'Nordstern', ...values })
    const [{ id }] = await db.from('zone_sailings').max('id as id')
    return Number(id)
  }

  async function hourOf(id: number) {
    const { leavesAt } = await Sailing.findOrFail(id)
    return leavesAt!.toUTC().hour
  }

  const stored = (id: number) => db.from('zone_sailings').where('id', id).first()
  const form = async (id: number, as = cookie) => {
    const { text } = await open(`Sailing/update/${id}`, as)
    return { ...formOf(text), text }
  }

  test('[R12, U7] users choose a time zone in their account, and an empty choice means the site’s zone', async ({
    assert,
    cleanup,
  }) => {
    const id = await row({ leaves_at: '2026-07-01 22:30:00' })
    const cells = async () => {
      const { rows } = await getList(cookie, '/admin/Sailing/')
      return rows[0]
    }
    assert.include(await cells(), '2 Jul 2026, 00:30')
    const account = await open('account')
    assert.match(account.text, /<option value="Europe\/Berlin" selected>Berlin<\/option>/)
    assert.match(account.text, /<optgroup label="Europe">/)
    assert.include(account.text, 'Same as the site (UTC)')

    await send('account/preferences', { time_zone: 'Mars/Olympus' })
    assert.include(await cells(), '2 Jul 2026, 00:30')
    await send('account/preferences', { time_zone: '' })
    assert.include(await cells(), '1 Jul 2026, 22:30')

    const site = await adminSite()
    Object.assign(site, { timeZone: KIRITIMATI })
    cleanup(() => void Object.assign(site, { timeZone: 'UTC' }))
    assert.include(await cells(), '2 Jul 2026, 12:30')
    const { values } = await form(id)
    assert.equal(values.leaves_at, '2026-07-02T12:30:00')
  })

  test('[R12] two users see the same record in their own time zones, which are named', async ({
    assert,
  }) => {
    const other = await cookieIn(SAO_PAULO)
    const id = await row({ leaves_at: '2026-01-01 01:30:00', day: '2026-01-01', opens: '09:00:00' })
    const berlin = await form(id)
    const saoPaulo = await form(id, other)
    assert.equal(berlin.values.leaves_at, '2026-01-01T02:30:00')
    assert.equal(saoPaulo.values.leaves_at, '2025-12-31T22:30:00')
    assert.match(textOf(berlin.text), /Leaves at\s+Europe\/Berlin, UTC\+1\s/)
    assert.match(textOf(saoPaulo.text), /Leaves at\s+America\/Sao_Paulo, UTC-3\s/)
    assert.match(textOf(berlin.text), /Arrives at\s+Europe\/Berlin\s/)
    for (const one of [berlin, saoPaulo]) {
      assert.equal(one.values.day, '2026-01-01')
      assert.match(one.values.opens, /^09:00/)
    }
    assert.equal(berlin.values._version, saoPaulo.values._version)

    const list = await getList(other, '/admin/Sailing/')
    assert.include(list.rows[0], '31 Dec 2025, 22:30')
    assert.include(list.rows[0], '1 Jan 2026')
    assert.include(list.text, 'title="2025-12-31 22:30:00 UTC-3"')
    assert.include(textOf(list.text), 'Times in America/Sao_Paulo')
    const record = await open(`Sailing/view/${id}`, other)
    assert.include(textOf(record.text), '31 Dec 2025, 22:30')
    assert.include(textOf(record.text), 'Times in America/Sao_Paulo')
  })

  test(
    '[R12] submitting a form with a time as it was shown leaves the stored value unchanged: {zone} {stored}'
  )
    .with([
      ...[BERLIN, SAO_PAULO, KIRITIMATI].flatMap((zone) =>
        [FIRST, SECOND, '2026-03-29 00:59:59', '2026-03-29 01:00:00', '2018-02-18 02:30:00'].map(
          (moment) => ({ zone, stored: moment })
        )
      ),
      ...(onSqlite
        ? [
            { zone: BERLIN, stored: '2026-10-25T01:30:00.123Z' },
            { zone: BERLIN, stored: '2026-10-25 02:30:00.5+01:00' },
            { zone: SAO_PAULO, stored: '2026-10-25' },
          ]
        : [{ zone: BERLIN, stored: '2026-10-25 01:30:00.123' }]),
    ])
    .run(async ({ assert }, { zone, stored: moment }) => {
      const own = await cookieIn(zone)
      /* Lucid itself reads no ISO text out of a column of SQLite. */
      const leaves = moment.endsWith('Z') ? SECOND : moment
      const values = { leaves_at: leaves, arrives_at: moment, day: '2026-10-25', opens: '02:30:00' }
      const id = await row(values)
      const before = await stored(id)
      const shown = await form(id, own)
      const response = await send(
        `Sailing/form_update/${id}`,
        { ...shown.values, name: 'New' },
        own
      )
      assert.equal(response.status, 303)
      assert.deepEqual(await stored(id), { ...before, name: 'New' })
      await loggedEvents()
      const [change] = await audited('Sailing')
      assert.deepEqual(Object.keys(change.changes!), ['name'])
    })

  test('[R12] for random times and zones, submitting the time as it was shown leaves the stored value unchanged', async () => {
    const moments = fc.date({
      min: new Date('1971-01-01'),
      max: new Date('2037-01-01'),
      noInvalidDate: true,
    })
    const zones = fc.constantFrom(BERLIN, SAO_PAULO, KIRITIMATI, 'Australia/Lord_Howe')
    const step = async (at: Date, zone: string) => {
      const moment = at.toISOString().slice(0, 23).replace('T', ' ')
      const id = await row({ leaves_at: moment, arrives_at: moment })
      const before = await stored(id)
      await send('account/preferences', { time_zone: zone })
      const { values } = await form(id)
      await send(`Sailing/form_update/${id}`, { ...values, name: 'New' })
      const after = await stored(id)
      const isSame = JSON.stringify(after) === JSON.stringify({ ...before, name: 'New' })
      if (!isSame) throw new Error(`${zone}: ${JSON.stringify([before, after, values])}`)
    }
    await fc.assert(fc.asyncProperty(moments, zones, step), { numRuns: runs(60) })
  })

  test('[R12] a typed time is parsed in the user’s time zone, or by the offset that it contains', async ({
    assert,
  }) => {
    const typed = async (text: string) => {
      const created = await send('Sailing/form_create', { name: 'Typed', leaves_at: text })
      const { leavesAt } = await Sailing.query().orderBy('id', 'desc').firstOrFail()
      return [created.status, leavesAt?.toUTC().toFormat('yyyy-MM-dd HH:mm:ss')]
    }
    assert.deepEqual(await typed('2026-07-01T12:00'), [303, '2026-07-01 10:00:00'])
    assert.deepEqual(await typed('2026-01-01 00:30:15'), [303, '2025-12-31 23:30:15'])
    assert.deepEqual(await typed('2026-10-25T02:30+01:00'), [303, SECOND])
    assert.deepEqual(await typed('2026-10-25T02:30+02:00'), [303, FIRST])
  })

  test('[R12] a time that does not exist or occurs twice is an error at its field', async ({
    assert,
  }) => {
    const id = await row({ leaves_at: '2026-07-01 10:00:00' })
    const error = async (text: string) => {
      const { status, text: page } = await send(`Sailing/form_update/${id}`, { leaves_at: text })
      assert.equal(status, 400)
      return formOf(page)
    }
    const skipped = await error('2026-03-29T02:30')
    assert.equal(
      skipped.errors.leaves_at,
      'Leaves at must be a time that exists in Europe/Berlin: clocks are put forward then, and the next one is 2026-03-29T03:00:00'
    )
    assert.equal(skipped.values.leaves_at, '2026-03-29T02:30')
    const twice = await error('2026-10-25T02:30')
    assert.include(twice.errors.leaves_at, 'the first is 2026-10-25T02:30:00+02:00')
    /* The browser's own input takes no offset. */
    assert.include(twice.tags.leaves_at, 'type="text"')
    assert.equal(await hourOf(id), 10)

    /* Untouched it is the one that was shown. */
    const untouched = await row({ leaves_at: SECOND })
    const before = await stored(untouched)
    const path = `Sailing/form_update/${untouched}`
    const response = await send(path, { name: 'New', leaves_at: '2026-10-25T02:30' })
    assert.equal(response.status, 303)
    assert.deepEqual(await stored(untouched), { ...before, name: 'New' })
  })

  test('[R12] a form is parsed in the zone in which it was shown', async ({ assert }) => {
    const id = await row({ leaves_at: '2026-07-01 10:00:00', arrives_at: '2026-07-01 11:00:00' })
    const before = await stored(id)
    const { values } = await form(id)
    await send('account/preferences', { time_zone: KIRITIMATI })
    await send(`Sailing/form_update/${id}`, { ...values, name: 'New' })
    assert.deepEqual(await stored(id), { ...before, name: 'New' })
    const typed = { ...values, _version: '', leaves_at: '2026-07-01T13:00:00' }
    await send(`Sailing/form_update/${id}`, typed)
    assert.equal(await hourOf(id), 11)
  })

  test('[R12, A28] a schema that expects another format of times receives it, in UTC', async ({
    assert,
  }) => {
    const { status } = await send('Ferry/form_create', { leaves_at: '2026-07-01T12:00' })
    assert.equal(status, 303)
    const { leavesAt } = await Ferry.query().firstOrFail()
    assert.equal(leavesAt.toUTC().toFormat('HH:mm'), '10:00')
  })

  test('[R12, L9] in Edit selected, equal local times of different moments differ, and typed times are in the zone of the form', async ({
    assert,
  }) => {
    const ids = [await row({ leaves_at: FIRST }), await row({ leaves_at: SECOND })]
    const query = ids.map((id) => `ids=${id}`).join('&')
    const page = await open(`Sailing/bulk-edit?${query}`)
    assert.equal(formOf(page.text).values.leaves_at, '')
    const body = new URLSearchParams(query.replaceAll('ids', '_ids'))
    for (const [name, value] of Object.entries({
      _edit: '1',
      _time_zone: BERLIN,
      leaves_at: '2026-07-01T12:00',
      leaves_at__change: '1',
    })) {
      body.append(name, value)
    }
    await send('account/preferences', { time_zone: KIRITIMATI })
    const response = await sendForm('/admin/Sailing/bulk-edit', body.toString(), { cookie })
    assert.equal(response.status, 303)
    const saved = await Sailing.all()
    const hours = saved.map(({ leavesAt }) => leavesAt!.toUTC().toISOTime())
    assert.deepEqual(hours, ['10:00:00.000Z', '10:00:00.000Z'])

    /* Programs write what the API has. */
    const values = { leaves_at: '2026-07-02 03:04:05' }
    await post('/admin/Sailing/bulk-edit', { ids, values }, { headers: { cookie } })
    const [first] = await Sailing.all()
    assert.equal(first.leavesAt!.toUTC().toISO(), '2026-07-02T03:04:05.000Z')
  })

  test('[R12, L10] a time in a cell is edited in the user’s time zone', async ({ assert }) => {
    const id = await row({ leaves_at: '2026-07-01 10:00:00' })
    const path = `/admin/Sailing/cell/${id}?field=leaves_at`
    const editor = await get(path, { headers: { cookie } })
    assert.include(editor.text, 'value="2026-07-01T12:00:00"')
    assert.include(editor.text, 'Europe/Berlin, UTC+2')
    const saved = await call('POST', path, {
      body: 'leaves_at=2026-07-01T13:00',
      headers: {
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'if-match': `"${/data-version="(.*?)"/.exec(editor.text)![1]}"`,
      },
    })
    assert.equal(saved.status, 200)
    assert.include(saved.text, '1 Jul 2026, 13:00')
    assert.equal(await hourOf(id), 11)
  })

  test('[R12, L1] filters in the URL are in UTC, and their descriptions and the filter form are in the user’s zone', async ({
    assert,
  }) => {
    await row({ name: 'Early', leaves_at: '2026-07-01 21:59:00' })
    await row({ name: 'Late', leaves_at: '2026-07-01 22:00:00' })
    const list = await getList(cookie, '/admin/Sailing/?filter.leaves_at__gte=2026-07-01 22:00:00')
    assert.deepEqual(
      list.rows.map(([name]) => name),
      ['Late']
    )
    assert.include(textOf(list.text), 'Leaves at is at or after 2 Jul 2026, 00:00')

    const requested = (value: string) => {
      const query = new URLSearchParams({
        'add.column': 'leaves_at',
        'add.operator': 'gte',
        'add.for': 'one leaves_at',
        'add.value': value,
        'add.apply': '1',
      })
      return get(`/admin/Sailing/filter?${query}`, { headers: { cookie } })
    }
    const { status, headers } = await requested('2026-07-02T00:00')
    assert.equal(status, 303)
    assert.equal(
      new URL(headers.get('location')!, 'http://a.test').searchParams.get('filter.leaves_at__gte'),
      '2026-07-01 22:00:00'
    )
    const invalid = await requested('2026-03-29T02:30')
    assert.equal(invalid.status, 422)
    assert.include(unescape(invalid.text), 'It must be a time that exists in Europe/Berlin')
    assert.include(unescape(invalid.text), 'value="2026-03-29T02:30"')
  })

  test('[R12, L2] relative days in filters begin at midnight in the user’s time zone', async ({
    assert,
  }) => {
    const kiritimati = DateTime.now().setZone(KIRITIMATI)
    const begin = kiritimati.startOf('day').toUTC()
    const day = kiritimati.toFormat('yyyy-MM-dd')
    await row({
      name: 'Before',
      leaves_at: begin.minus({ seconds: 1 }).toFormat('yyyy-MM-dd HH:mm:ss'),
    })
    await row({ name: 'Today', leaves_at: begin.toFormat('yyyy-MM-dd HH:mm:ss'), day })
    const own = await cookieIn(KIRITIMATI)
    for (const name of ['leaves_at', 'day']) {
      const list = await getList(own, `/admin/Sailing/?filter.${name}__between=today`)
      assert.deepEqual(
        list.rows.map(([title]) => title),
        ['Today'],
        name
      )
    }
  })

  test('[R12, E5] events, histories and their filters by day use the user’s time zone', async ({
    assert,
  }) => {
    await send('Sailing/form_create', { name: 'Typed', leaves_at: '2026-07-01T12:00' })
    await loggedEvents()
    await AdminEventLog.query().update({ timestamp: '2026-07-01 22:30:00' })
    await AdminAuditLog.query().update({ timestamp: '2026-07-01 22:30:00' })
    const { id } = await Sailing.firstOrFail()
    const history = await open(`Sailing/history/${id}`)
    assert.include(textOf(history.text), '2 Jul 2026, 00:30:00')
    assert.include(textOf(history.text), '1 Jul 2026, 12:00:00')
    assert.include(textOf(history.text), 'Times in Europe/Berlin')
    const events = await open('management/events?start_date=2026-07-02&end_date=2026-07-02')
    assert.include(textOf(events.text), 'When (Europe/Berlin)')
    assert.include(textOf(events.text), '2 Jul 2026, 00:30:00')
    const before = await open('management/events?end_date=2026-07-01')
    assert.notInclude(textOf(before.text), '2 Jul 2026, 00:30:00')
  })

  test('[R12, B23] the dashboard counts records by days in the user’s zone', async ({ assert }) => {
    await row({ leaves_at: '2026-07-01 18:29:00' })
    await row({ leaves_at: '2026-07-01 18:31:00' })
    await row({ leaves_at: '2026-07-01 22:30:00' })
    const { models } = await adminSite()
    const { crud } = models.get('Sailing')!
    const days = async (zone: string) => {
      const counted = await crud.countByDay('leaves_at', '2026-07-01', { zone })
      return Object.fromEntries(counted!.map(({ day, count }) => [day, count]))
    }
    assert.deepEqual(await days('UTC'), { '2026-07-01': 3 })
    assert.deepEqual(await days(BERLIN), { '2026-07-01': 2, '2026-07-02': 1 })
    assert.deepEqual(await days('Asia/Kolkata'), { '2026-07-01': 1, '2026-07-02': 2 })
    const dashboard = await open('')
    assert.include(textOf(dashboard.text), 'Day (Europe/Berlin)')
  })

  test('[R12, A20] the API and /crud return times in UTC, whatever the user’s time zone', async ({
    assert,
  }) => {
    const id = await row({ leaves_at: '2026-07-01 10:00:00' })
    const { body } = await get(`/admin/Sailing/crud/${id}`, { headers: { cookie } })
    assert.equal((body as Record<string, unknown>).leaves_at, '2026-07-01 10:00:00')
  })
})
