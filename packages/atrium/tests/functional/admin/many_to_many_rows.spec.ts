import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { type Revue, type RevueArtist, makeRevue } from '#tests/fixtures/revues'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { formOf } from '#tests/helpers/forms'
import { call, get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { audited, loggedEvents } from '#tests/helpers/model_events'

test.group('Admin | many-to-many fields with pivot columns', (group) => {
  let revue: Revue
  let [ann, bob, cid]: RevueArtist[] = []
  let boss: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    const made = await makeRevue()
    revue = made.revue
    ;[ann, bob, cid] = made.artists
    boss = await cookiesOf(await makeUser('jo'))
    await emptyEventTables()
  })

  const attach = (artist: RevueArtist, values = {}) =>
    db.table('revue_parts').insert({
      revue_id: revue.id,
      artist_id: artist.id,
      role: 'singer',
      fee: 10.5,
      since: '2020-01-02 03:04:05',
      ...values,
    })
  const open = (path = `update/${revue.id}`) =>
    get(`/admin/Revue/${path}`, { headers: { accept: 'text/html', cookie: boss } })
  const send = (fields: Record<string, string>) =>
    sendForm(`/admin/Revue/form_update/${revue.id}`, fields, { cookie: boss })
  async function parts(): Promise<unknown[]> {
    const rows = await db.from('revue_parts').where('revue_id', revue.id).orderBy('artist_id')
    return rows.map(({ artist_id: artist, role, fee, lead }) => [
      artist,
      role,
      fee === null ? null : Number(fee),
      Boolean(lead),
    ])
  }

  test('[R3] each attached record is a row with the pivot columns as cells, followed by a blank row', async ({
    assert,
  }) => {
    await attach(bob)
    const { text } = await open()
    const { values, tags } = formOf(text)
    assert.equal(values['parts.0.id'], String(bob.id))
    assert.equal(values['parts.0.role'], 'singer')
    assert.equal(values['parts.0.fee'], '10.5')
    assert.equal(values['parts.0.since'], '2020-01-02T03:04:05')
    assert.match(tags['parts.0.role'], /^<select/)
    assert.match(text, /<th scope="row"[^>]*>Bob/)
    assert.match(tags['parts.1.id'], /^<select/)
    assert.notInclude(tags['parts.1.role'], 'required')
    assert.include(text, '>Part</th>')
  })

  test('[R3] rows can be added, changed and removed; unchanged rows and other columns stay', async ({
    assert,
  }) => {
    await attach(ann)
    await attach(bob)
    const { values } = formOf(await its(open(), 'text'))
    const same = await send(values)
    assert.equal(same.status, 303)
    assert.isEmpty(await loggedEvents('UPDATE'))
    const response = await send({
      ...values,
      'parts.0.fee': '12.25',
      'parts.0.lead': 'true',
      'parts.1.__remove': '1',
      'parts.2.id': String(cid.id),
      'parts.2.role': 'dancer',
    })
    assert.equal(
      response.status,
      303,
      formOf(response.text || '<form id="record-form"></form>').error
    )
    assert.deepEqual(await parts(), [
      [ann.id, 'singer', 12.25, true],
      [cid.id, 'dancer', null, false],
    ])
    const since = await db.from('revue_parts').where('artist_id', ann.id).firstOrFail()
    assert.isNotNull(since.since)
    const [row] = await audited('Revue')
    const [before, after] = ['old', 'new'].map((side) => (row.changes as any).parts[side])
    assert.deepEqual(
      before.map(({ id, fee }: any) => [id, fee]),
      [
        [ann.id, 10.5],
        [bob.id, 10.5],
      ]
    )
    assert.include(after[1], { id: cid.id, role: 'dancer', fee: null, lead: false })
  }).tags(['@database'])

  test('[R3] a create attaches records with pivot columns, and an update does not change rows that are not sent', async ({
    assert,
  }) => {
    const made = await sendForm(
      '/admin/Revue/form_create',
      { 'title': 'New', 'parts.0.id': String(ann.id), 'parts.0.role': 'dancer', 'parts.7.id': '' },
      { cookie: boss }
    )
    assert.equal(made.status, 303)
    const [row] = await db.from('revue_parts')
    assert.equal(row.role, 'dancer')
    await attach(ann)
    await attach(bob)
    await send({ 'parts.0.id': String(ann.id), 'parts.0.role': 'dancer' })
    assert.deepEqual(await parts(), [
      [ann.id, 'dancer', 10.5, false],
      [bob.id, 'singer', 10.5, false],
    ])
  })

  test('[R3] errors of pivot rows are shown at their cells, and nothing is stored')
    .tags(['@database'])
    .with([
      { column: 'role', text: '', error: 'Part is required' },
      { column: 'role', text: 'clown', error: 'clown' },
      { column: 'fee', text: 'much', error: 'much' },
      { column: 'since', text: 'soon', error: 'soon' },
    ])
    .run(async ({ assert }, { column, text: typed, error }) => {
      const fields = { 'parts.0.id': String(ann.id), 'parts.0.role': 'singer', 'title': 'Lost' }
      const { status, text } = await send({ ...fields, [`parts.0.${column}`]: typed })
      assert.equal(status, 400)
      const { errors, values } = formOf(text)
      assert.include(errors[`parts.0.${column}`], error)
      assert.include(errors.parts, error)
      assert.equal(values['parts.0.id'], String(ann.id))
      assert.isEmpty(await parts())
      await revue.refresh()
      assert.equal(revue.title, 'Follies')
    })

  test('[R3] each row needs a valid record, and each record only one row', async ({ assert }) => {
    const role = { 'parts.0.role': 'singer', 'parts.1.role': 'dancer' }
    const wrong: Array<Record<string, string>> = [
      { 'parts.0.id': '' },
      { 'parts.0.id': 'abc' },
      { 'parts.0.id': '99999' },
      { 'parts.0.id': String(ann.id), 'parts.1.id': String(ann.id) },
    ]
    for (const ids of wrong) {
      const { status, text } = await send({ ...role, ...ids })
      assert.equal(status, 400, JSON.stringify(ids))
      assert.isString(formOf(text).errors.parts)
    }
    const plain = await sendForm(`/admin/Revue/form_update/${revue.id}`, `parts=${ann.id}`, {
      cookie: boss,
    })
    assert.include(formOf(plain.text).errors.parts, 'role')
    assert.isEmpty(await parts())
  })

  test('[R3, B25] pivot columns that others changed are preserved, and a row that changes the same column is refused', async ({
    assert,
  }) => {
    await attach(ann)
    const { values } = formOf(await its(open(), 'text'))
    await db.from('revue_parts').update({ fee: 99 })
    await send({ ...values, 'parts.0.role': 'dancer' })
    assert.deepEqual(await parts(), [[ann.id, 'dancer', 99, false]])
    const refused = await send({ ...values, 'parts.0.fee': '5' })
    assert.equal(refused.status, 400)
    assert.include(formOf(refused.text).errors.parts, '99')
    await db.from('revue_parts').delete()
    await send({ ...values, 'parts.0.role': 'dancer' })
    assert.isEmpty(await parts(), 'what another user detached stays so')
  }).tags(['@database'])

  test('[R3] more rows than the limit are refused, and deeply nested JSON in a row causes no server error', async ({
    assert,
  }) => {
    const names = Array.from({ length: 1001 }, (_, index) => [`parts.${index}.id`, `${index}`])
    assert.equal(await its(send(Object.fromEntries(names)), 'status'), 413)
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    const { status } = await send({ 'parts.0.id': '99999', 'parts.0.__was': `{"role":${deep}}` })
    assert.isBelow(status, 500)
  })

  test('[R3] the button for another row preserves the input', async ({ assert }) => {
    await attach(ann)
    const { values } = formOf(await its(open(), 'text'))
    const typed = { 'title': 'Typed', 'parts.1.id': String(bob.id), 'parts.1.role': 'dancer' }
    const { status, text } = await send({ ...values, ...typed, 'parts.__more': '1' })
    assert.equal(status, 200)
    const again = formOf(text)
    assert.equal(again.values['parts.1.id'], String(bob.id))
    assert.equal(again.values['parts.1.role'], 'dancer')
    assert.isDefined(again.tags['parts.2.id'])
    const more = await send({ ...again.values, 'parts.__more': '1' })
    assert.isDefined(formOf(more.text).tags['parts.3.id'])
    assert.isEmpty(again.errors)
    assert.lengthOf(await parts(), 1)
  })

  test('[R3, R7] undo restores pivot columns, and Duplicate copies them', async ({ assert }) => {
    await attach(ann, { lead: true })
    const { values } = formOf(await its(open(), 'text'))
    const copy = formOf(await its(open(`create_page?from=${revue.id}`), 'text'))
    assert.equal(copy.values['parts.0.fee'], '10.5')
    assert.equal(copy.values['parts.0.id'], String(ann.id))
    assert.isUndefined(copy.values['parts.0.__was'])
    const before = await db.from('revue_parts')
    await send({ ...values, 'parts.0.role': 'dancer' })
    await send({ 'parts.0.id': String(ann.id), 'parts.0.__was': '{}', 'parts.0.__remove': '1' })
    assert.isEmpty(await parts())
    const events = await loggedEvents('UPDATE')
    for (const { id } of events.toSorted((one, other) => other.id - one.id)) {
      const response = await call('POST', `/admin/management/events/${id}/undo`, {
        json: {},
        headers: { cookie: boss },
      })
      assert.equal(response.status, 200, response.text)
    }
    assert.deepEqual(await db.from('revue_parts'), before)
  }).tags(['@database'])
})
