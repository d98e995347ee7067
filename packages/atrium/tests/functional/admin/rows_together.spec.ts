import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { Booth, Fair, Sponsor, TABLES } from '#tests/fixtures/fairs'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { formOf } from '#tests/helpers/forms'
import { call, get } from '#tests/helpers/http'

type Fields = Record<string, string>

const OPENS = DateTime.fromISO('2026-07-01T08:00:00Z', { zone: 'utc' })

test.group('Admin | rows with widgets, together with pivot rows', (group) => {
  group.tap((one) => one.tags(['@database']))
  let fair: Fair
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    for (const table of TABLES) await db.from(table).delete()
    await emptyAdminTables()
    fair = await Fair.create({ title: 'May' })
    await Booth.createMany(
      ['Nuts', 'Pies'].map((title, index) => ({
        fairId: fair.id,
        title,
        slug: title.toLowerCase(),
        rent: 123_456,
        tags: JSON.stringify(['red', 'hot']),
        visitors: 15_000,
        opensAt: OPENS,
        place: index + 1,
      }))
    )
    const sponsors = await Sponsor.createMany([{ name: 'Ann' }, { name: 'Bob' }])
    await db.table('fair_sponsors').insert({
      fair_id: fair.id,
      sponsor_id: sponsors[0].id,
      amount: 10,
      since: '2026-07-01 08:00:00',
    })
    cookie = await cookiesOf(await makeUser('jo'))
    const zone = { time_zone: 'Europe/Berlin' }
    await sendForm('/admin/account/preferences', zone, { cookie })
    await emptyEventTables()
  })

  const at = (action: string) => `/admin/Fair/${action}/${fair.id}`
  const open = async (): Promise<Fields> => {
    const { text } = await get(at('update'), { headers: { cookie } })
    return fieldsOf(text)
  }
  const fieldsOf = (html: string): Fields => {
    const { values } = formOf(html.replace(/<template>.*?<\/template>/gs, ''))
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  }
  const save = (fields: Fields) => sendForm(at('form_update'), fields, { cookie })
  const booths = () => Booth.query().orderBy('place')
  const places = async () => {
    const rows = await booths()
    return rows.map(({ title }) => title)
  }
  const events = () => db.from('admin_event_log').where('event_type', 'UPDATE')

  test('[R2, R12, R13] rows show and parse values by their widgets, in the time zone of the user', async ({
    assert,
  }) => {
    const fields = await open()
    assert.equal(fields['booths.0.rent'], '1234.56')
    assert.equal(fields['booths.0.tags'], 'red\nhot')
    assert.equal(fields['booths.0.visitors'], '15,000')
    assert.match(fields['booths.0.opens_at'], /^2026-07-01T10:00/)
    assert.match(fields['sponsors.0.since'], /^2026-07-01T10:00/)

    const same = await save(fields)
    assert.equal(same.status, 303)
    assert.isEmpty(await events())

    const response = await save({
      ...fields,
      'booths.0.rent': '2,000',
      'booths.0.tags': 'blue',
      'booths.0.visitors': '16,500',
      'booths.0.opens_at': '2026-07-01T11:00',
      'booths.2.title': 'Fine Jam',
      'booths.2.colour': '#ABC',
      'booths.2.body': '*sweet*',
      'sponsors.0.since': '2026-07-01T12:00',
    })
    assert.equal(response.status, 303, response.text)
    const [nuts, , jam] = await booths()
    assert.equal(nuts.rent, 200_000)
    assert.include(JSON.stringify(nuts.tags), 'blue')
    assert.equal(nuts.visitors, 16_500)
    assert.equal(nuts.opensAt!.toUTC().toFormat('HH:mm'), '09:00')
    assert.deepInclude(jam.serialize(), { slug: 'fine-jam', colour: '#aabbcc', place: 3 })
    const { 'sponsors.0.since': since } = await open()
    assert.match(since, /^2026-07-01T12:00/)
  })

  test('[R2, R13] the button for a preview in a row shows the form again with the preview, and writes nothing', async ({
    assert,
  }) => {
    const fields = await open()
    const sent = { ...fields, 'booths.1.body': '**warm**', 'booths.1.body__preview': '1' }
    const { status, text } = await save(sent)
    assert.equal(status, 200)
    assert.include(text, '<strong>warm</strong>')
    assert.isEmpty(await events())
  })

  test('[R15, R2, R3] the conflict page preserves rows, pivot rows and keys, and saves them with the choice', async ({
    assert,
  }) => {
    const fields = await open()
    const [ann, bob] = await Sponsor.query().orderBy('id')
    await save({ title: 'Theirs' })
    const page = await save({
      ...fields,
      'title': 'Mine',
      'booths.0.rent': '5',
      'booths.2.title': 'Jam',
      'booths.2.tags': 'sweet\nred',
      'sponsors.0.since': '2026-07-01T12:00',
      'sponsors.1.id': String(bob.id),
      'sponsors.1.since': '2026-07-02T12:00',
      'helpers': String(ann.id),
    })
    assert.equal(page.status, 409)
    const again = fieldsOf(page.text)
    assert.equal(again['booths.2.tags'], 'sweet\nred')
    assert.match(again['sponsors.1.since'], /^2026-07-02T12:00/)
    const { status, text } = await save({ ...again, '_take.title': 'mine' })
    assert.equal(status, 303, text.slice(-9000))
    const stored = await booths()
    assert.deepEqual(
      stored.map(({ title, rent }) => [title, rent]),
      [
        ['Nuts', 500],
        ['Pies', 123_456],
        ['Jam', null],
      ]
    )
    await fair.refresh()
    assert.equal(fair.title, 'Mine')
    assert.lengthOf(await db.from('fair_helpers'), 1)
    const now = await open()
    assert.match(now['sponsors.0.since'], /^2026-07-01T12:00/)
    assert.match(now['sponsors.1.since'], /^2026-07-02T12:00/)
  })

  test('[R7, R2, R3] one undo reverts the record, its rows and its pivot rows together', async ({
    assert,
  }) => {
    const fields = await open()
    const sponsors = await Sponsor.query().orderBy('id')
    await save({
      ...fields,
      'title': 'June',
      'booths.0.__remove': '1',
      'booths.1.rent': '5',
      'booths.2.title': 'Jam',
      'sponsors.0.__remove': '1',
      'sponsors.1.id': String(sponsors[1].id),
      'sponsors.1.amount': '20',
    })
    assert.deepEqual(await places(), ['Pies', 'Jam'])
    const all = await events()
    assert.lengthOf(all, 1)
    const undone = await call('POST', `/admin/management/events/${all[0].id}/undo`, {
      json: {},
      headers: { cookie },
    })
    assert.equal(undone.status, 200, undone.text)
    assert.deepEqual(await places(), ['Nuts', 'Pies'])
    await fair.refresh()
    assert.equal(fair.title, 'May')
    const pairs = await db.from('fair_sponsors')
    assert.deepEqual(
      pairs.map((pair) => [Number(pair.sponsor_id), Number(pair.amount)]),
      [[sponsors[0].id, 10]]
    )
  })
})
