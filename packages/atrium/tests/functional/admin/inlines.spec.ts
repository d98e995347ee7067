import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { Camel, Caravan, Saddle, Stop, TABLES } from '#tests/fixtures/inlines'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { formOf } from '#tests/helpers/forms'
import { call, get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { queriesOf } from '#tests/helpers/queries'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

type Fields = Record<string, string>

/** Rows as they are stored: names, weights and places */
async function camels(): Promise<Array<[string, number, number | null]>> {
  const rows = await Camel.query().orderBy('position').orderBy('id')
  return rows.map(({ name, weight, position }) => [name, weight, position])
}

async function columnOf<Index extends 0 | 1 | 2>(index: Index) {
  const rows = await camels()
  return rows.map((row) => row[index])
}

async function numberOfCamels(): Promise<number> {
  const rows = await camels()
  return rows.length
}

/** The last event of a write, with its records */
async function lastEvent() {
  const event = await db
    .from('admin_event_log')
    .whereNotIn('event_type', ['VIEW', 'LOGIN'])
    .orderBy('id', 'desc')
    .first()
  const records = event
    ? await db.from('admin_audit_log').where('event_id', event.id).orderBy('id')
    : []
  return { event, records }
}

test.group('Admin | rows in the form of their parent', (group) => {
  let cookie: string
  let caravan: Caravan

  group.setup(() => fakeHashes())
  group.each.teardown(() => restoreRoles())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(table).delete()
    cookie = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    caravan = await Caravan.create({ name: 'Silk' })
    for (const [index, name] of ['Asra', 'Basim', 'Chadi'].entries()) {
      await Camel.create({ caravanId: caravan.id, name, weight: 100 + index, position: index + 1 })
    }
    await emptyEventTables()
  })

  const open = async () => {
    const { text } = await get(`/admin/Caravan/update/${caravan.id}`, { headers: { cookie } })
    return text
  }
  const update = (fields: Fields) =>
    sendForm(`/admin/Caravan/form_update/${caravan.id}`, fields, { cookie })
  const create = (fields: Fields) => sendForm('/admin/Caravan/form_create', fields, { cookie })
  /** The fields of the page as a browser would send them */
  const fieldsOf = (html: string): Fields => {
    const { values } = formOf(html.replace(/<template>.*?<\/template>/gs, ''))
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  }
  const undo = (id: number) =>
    call('POST', `/admin/management/events/${id}/undo`, { json: {}, headers: { cookie } })
  const idOf = async (name: string) => {
    const { id } = await Camel.findByOrFail('name', name)
    return String(id)
  }

  test('[R2] the form has a row for each related record, in their order, and blank rows', async ({
    assert,
  }) => {
    await Camel.query().where('name', 'Asra').update({ position: 9 })
    const fields = fieldsOf(await open())
    assert.equal(fields['camels.0.name'], 'Basim')
    assert.equal(fields['camels.2.name'], 'Asra')
    assert.equal(fields['camels.0.id'], await idOf('Basim'))
    assert.equal(fields['camels.3.name'], '')
    assert.equal(fields['camels.5.name'], '')
    assert.notProperty(fields, 'camels.6.name')
    assert.notProperty(fields, 'camels.0.caravan_id')
    assert.equal(fields['guide.0.name'], '')
    assert.notProperty(fields, 'guide.1.name')
  })

  test('[R2] saving the form adds, changes and removes rows together with their parent', async ({
    assert,
  }) => {
    const fields = fieldsOf(await open())
    const { status } = await update({
      ...fields,
      'name': 'Spice',
      'camels.0.weight': '150',
      'camels.1.__remove': '1',
      'camels.3.name': 'dalal',
      'camels.3.weight': '90',
      'stops.0.place': 'Merv',
      'guide.0.name': 'Nadir',
    })
    assert.equal(status, 303)
    assert.deepEqual(await camels(), [
      ['Asra', 150, 1],
      ['Chadi', 102, 2],
      ['Dalal', 90, 3],
    ])
    await caravan.refresh()
    await caravan.load('guide')
    assert.deepEqual([caravan.name, caravan.guide.name], ['Spice', 'Nadir'])
    const { place, nights } = await Stop.firstOrFail()
    assert.deepEqual([place, nights], ['Merv', 1])
  }).tags(['@database'])

  test('[R2, A20] a stored value that the schema refuses does not block another field of its row', async ({
    assert,
  }) => {
    await Camel.query().where('name', 'Asra').update({ weight: 999 })
    const fields = fieldsOf(await open())
    const refused = await update({ ...fields, 'camels.0.weight': '998' })
    assert.equal(refused.status, 400)
    const { status } = await update({ ...fields, 'camels.0.note': 'Slow' })
    assert.equal(status, 303)
    const { name, note, weight } = await Camel.findByOrFail('weight', 999)
    assert.deepEqual([name, note, weight], ['Asra', 'Slow', 999])
  }).tags(['@database'])

  test('[R2] a parent is created with its rows', async ({ assert }) => {
    const { status } = await create({
      'name': 'Salt',
      'camels.0.name': 'Esma',
      'camels.0.weight': '80',
      'camels.1.name': 'Farid',
      'camels.1.weight': '85',
      'camels.2.name': ' ',
    })
    assert.equal(status, 303)
    const salt = await Caravan.query().where('name', 'Salt').preload('camels').firstOrFail()
    assert.deepEqual(
      salt.camels.map(({ name, position }) => [name, position]),
      [
        ['Esma', 1],
        ['Farid', 2],
      ]
    )
  })

  test('[R2] errors of parent and rows are shown at their fields, and all input is preserved', async ({
    assert,
  }) => {
    const fields = fieldsOf(await open())
    const { status, text } = await update({
      ...fields,
      'name': 'New',
      'camels.0.weight': '900',
      'camels.2.__remove': '1',
      'camels.3.name': 'x',
    })
    assert.equal(status, 400)
    const form = formOf(text.replace(/<template>.*?<\/template>/gs, ''))
    assert.deepEqual(Object.keys(form.errors), [
      'camels.0.weight',
      'camels.3.name',
      'camels.3.weight',
    ])
    assert.equal(form.errors['camels.3.weight'], 'Weight is required')
    assert.deepEqual(form.summary, [
      '#field-camels.0.weight',
      '#field-camels.3.name',
      '#field-camels.3.weight',
    ])
    assert.equal(form.values.name, 'New')
    assert.equal(form.values['camels.0.weight'], '900')
    assert.equal(form.values['camels.3.name'], 'x')
    assert.equal(form.values['camels.2.__remove'], '1')
    assert.deepEqual(await camels(), [
      ['Asra', 100, 1],
      ['Basim', 101, 2],
      ['Chadi', 102, 3],
    ])
  })

  test('[R2] rows are reordered, and only moved rows are written', async ({ assert }) => {
    const fields = fieldsOf(await open())
    assert.deepEqual(
      [0, 1, 2].map((index) => fields[`camels.${index}.position`]),
      ['1', '2', '3']
    )
    await update({ ...fields, 'camels.0.position': '3', 'camels.2.position': '1' })
    const names = await columnOf(0)
    assert.deepEqual(names, ['Chadi', 'Basim', 'Asra'])
    const { records } = await lastEvent()
    assert.deepEqual(
      records.map(({ resource_type: type, action }) => [type, action]),
      [
        ['Camel', 'UPDATE'],
        ['Camel', 'UPDATE'],
      ]
    )
  })

  test('[R2] an unchanged form writes nothing, even if the stored positions have gaps', async ({
    assert,
  }) => {
    await Camel.query().where('name', 'Basim').update({ position: 20 })
    await Camel.query().where('name', 'Chadi').update({ position: 70 })
    const { status } = await update(fieldsOf(await open()))
    assert.equal(status, 303)
    assert.deepEqual(await columnOf(2), [1, 20, 70])
    assert.isNull(await its(lastEvent(), 'event'))
  })

  test('[R2] stored rows that the submitted form does not contain are unchanged, and new rows come after them', async ({
    assert,
  }) => {
    const { status } = await update({
      'camels.7.name': 'Esma',
      'camels.7.weight': '10',
      'camels.9.id': await idOf('Chadi'),
      'camels.9.weight': '5',
    })
    assert.equal(status, 303)
    assert.deepEqual(await camels(), [
      ['Asra', 100, 1],
      ['Basim', 101, 2],
      ['Chadi', 5, 3],
      ['Esma', 10, 4],
    ])
  })

  test('[R2] a field that is submitted empty is cleared, or refused if it is required', async ({
    assert,
  }) => {
    await Camel.query().where('name', 'Asra').update({ note: 'Bites' })
    await update({ ...fieldsOf(await open()), 'camels.0.note': '' })
    const { note } = await Camel.findByOrFail('name', 'Asra')
    assert.isNull(note)
    const { status, text } = await update({ ...fieldsOf(await open()), 'camels.0.weight': '' })
    assert.equal(status, 400)
    assert.equal(formOf(text).errors['camels.0.weight'], 'Weight is required')
  })

  test('[R2] hooks of the row’s model run, and database errors are shown at the row', async ({
    assert,
  }) => {
    const fields = fieldsOf(await open())
    const added = { 'camels.3.name': 'Forbidden', 'camels.3.weight': '1' }
    const bad = await update({ ...fields, ...added, name: 'Other' })
    assert.equal(bad.status, 400)
    assert.include(bad.text, 'This name brings bad luck')
    const twice = await update({ ...fields, ...added, 'camels.3.name': 'asra', 'name': 'Other' })
    assert.equal(twice.status, 400)
    assert.match(twice.text, /<tr class="inline-row" id="row-camels.3"[^>]*data-invalid/)
    await caravan.refresh()
    assert.equal(caravan.name, 'Silk')
    assert.lengthOf(await camels(), 3)
  }).tags(['@database'])

  test('[R2] a row that other records refer to is not removed, and the form shows an error', async ({
    assert,
  }) => {
    await Saddle.create({ camelId: Number(await idOf('Basim')) })
    const fields = fieldsOf(await open())
    const { status, text } = await update({ ...fields, 'name': 'Other', 'camels.1.__remove': '1' })
    assert.equal(status, 400)
    assert.match(text, /<p class="field-error inline-error">[^<]*refer/)
    await caravan.refresh()
    assert.deepEqual([caravan.name, await numberOfCamels()], ['Silk', 3])
  }).tags(['@database'])

  test('[R2] a removed row is soft-deleted if its model has soft deletion', async ({ assert }) => {
    const stop = await Stop.create({ caravanId: caravan.id, place: 'Merv', nights: 2 })
    await update({ ...fieldsOf(await open()), 'stops.0.__remove': '1' })
    await stop.refresh()
    assert.isOk(stop.isDeleted)
    assert.notInclude(await open(), 'value="Merv"')
  })

  test('[R2] a hasOne relation has one row in the form', async ({ assert }) => {
    const two = await update({ 'guide.0.name': 'Nadir', 'guide.1.name': 'Omar' })
    assert.equal(two.status, 400)
    assert.include(two.text, 'There can be only one.')
    await update({ 'guide.0.name': 'Nadir' })
    const fields = fieldsOf(await open())
    assert.notProperty(fields, 'guide.1.name')
    const third = await update({ 'guide.5.name': 'Omar' })
    assert.equal(third.status, 400)
    await update({ ...fields, 'guide.0.__remove': '1', 'guide.1.name': 'Omar' })
    const guides = await db.from('caravan_guides').select('name')
    assert.deepEqual(
      guides.map(({ name }) => name),
      ['Omar']
    )
  })

  test('[R2] if two forms create the row of a hasOne relation simultaneously, one succeeds', async ({
    assert,
  }) => {
    const responses = await Promise.all(
      ['Nadir', 'Omar'].map((name) => update({ 'name': 'Silk', 'guide.0.name': name }))
    )
    const statuses = responses.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [303, 400])
    const [refused] = responses.filter(({ status }) => status === 400)
    assert.include(refused.text, 'There can be only one.')
    assert.lengthOf(await db.from('caravan_guides'), 1)
  }).tags(['@database'])

  test('[R2] a form with far more rows than the limit is refused immediately', async ({
    assert,
  }) => {
    const names = Array.from({ length: 1001 }, (_, index) => [`camels.${index}.name`, 'Dalal'])
    const { status, text } = await update(Object.fromEntries(names))
    assert.equal(status, 413)
    assert.isBelow(text.length, 100_000)
    assert.equal(await numberOfCamels(), 3)
  })

  test('[R2] a form cannot move a row to another parent', async ({ assert }) => {
    const other = await Caravan.create({ name: 'Salt' })
    const [first] = await Camel.query().where('caravan_id', caravan.id).orderBy('id')
    const column = { 'camels.0.caravan_id': String(other.id), 'camels.1.caravan_id': `${other.id}` }
    const { status } = await update({
      ...column,
      'camels.0.id': String(first.id),
      'camels.0.name': 'Renamed',
      'camels.1.name': 'Zaki',
      'camels.1.weight': '5',
    })
    assert.equal(status, 303)
    const moved = await Camel.query().where('caravan_id', other.id)
    assert.isEmpty(moved)
    const own = await Camel.query().where('caravan_id', caravan.id)
    assert.includeMembers(
      own.map(({ name }) => name),
      ['Renamed', 'Zaki']
    )
  })

  test('[R2] a row of another parent, a deleted row or a missing one is refused, and nothing is written', async ({
    assert,
  }) => {
    const other = await Caravan.create({ name: 'Salt' })
    const theirs = await Camel.create({ caravanId: other.id, name: 'Zaki', weight: 1 })
    const stop = await Stop.create({ caravanId: caravan.id, place: 'Merv', nights: 2 })
    await Stop.query().where('id', stop.id).update({ isDeleted: true })
    const attempts: Fields[] = [
      { 'camels.0.id': String(theirs.id), 'camels.0.weight': '7' },
      { 'camels.0.id': String(theirs.id), 'camels.0.__remove': '1' },
      { 'stops.0.id': String(stop.id), 'stops.0.nights': '7' },
      { 'camels.0.id': '999999', 'camels.0.weight': '7' },
      { 'camels.0.id': "1' or 1=1", 'camels.0.weight': '7' },
    ]
    for (const attempt of attempts) {
      const { status, text } = await update({ ...attempt, name: 'Other' })
      assert.equal(status, 409, JSON.stringify(attempt))
      assert.include(text, 'was deleted in the meantime')
    }
    const created = await create({ 'name': 'New', 'camels.0.id': String(theirs.id) })
    assert.equal(created.status, 409)
    await theirs.refresh()
    await stop.refresh()
    await caravan.refresh()
    assert.deepEqual([theirs.weight, theirs.caravanId, stop.nights], [1, other.id, 2])
    assert.deepEqual(
      [caravan.name, await Caravan.query().where('name', 'New').first()],
      ['Silk', null]
    )
  })

  test('[R2, B25] a row that another user has changed is a conflict at the row, and nothing is written', async ({
    assert,
  }) => {
    const fields = fieldsOf(await open())
    await Camel.query().where('name', 'Basim').update({ weight: 55 })
    const mine = { ...fields, 'name': 'Other', 'camels.1.weight': '66' }
    const { status, text } = await update(mine)
    assert.equal(status, 409)
    assert.match(text, /Another user has changed this row[^<]*Weight: 55/)
    const again = fieldsOf(text)
    assert.equal(again['camels.1.weight'], '66')
    assert.equal(again.name, 'Other')
    assert.equal(await its(columnOf(1), 1), 55)
    assert.equal(await its(update(again), 'status'), 303)
    assert.equal(await its(columnOf(1), 1), 66)

    const removing = { ...fieldsOf(await open()), 'camels.1.__remove': '1' }
    await Camel.query().where('name', 'Basim').update({ weight: 77 })
    assert.equal(await its(update(removing), 'status'), 409)
    assert.lengthOf(await camels(), 3)
    /* Of a row that I do not change, the other's change stays. */
    const rows = Object.entries(fields).filter(([name]) => name.startsWith('camels.'))
    const changed = { 'camels.1.weight': '77', 'camels.0.weight': '9' }
    const untouched = { ...Object.fromEntries(rows), ...changed }
    assert.equal(await its(update(untouched), 'status'), 303)
    assert.deepEqual(await columnOf(1), [9, 77, 102])
  }).tags(['@database'])

  test('[R2, B25] the conflict page of the parent preserves the input of its rows', async ({
    assert,
  }) => {
    const fields = fieldsOf(await open())
    await Caravan.query().where('id', caravan.id).update({ banner: 'Green' })
    const { status, text } = await update({
      ...fields,
      'banner': 'Red',
      'camels.0.weight': '66',
      'camels.3.name': 'Esma',
      'camels.3.weight': '3',
    })
    assert.equal(status, 409)
    const stored = fieldsOf(text)
    assert.deepEqual([stored['camels.0.weight'], stored['camels.3.name']], ['66', 'Esma'])
    assert.equal(await its(columnOf(1), 0), 100)
    assert.equal(await its(update(stored), 'status'), 303)
    assert.deepEqual([await its(columnOf(1), 0), await numberOfCamels()], [66, 4])
  })

  test('[R2] the button for more rows preserves all input of the form', async ({ assert }) => {
    const { text, status } = await update({
      ...fieldsOf(await open()),
      'camels.3.name': 'Esma',
      'camels.__more': '1',
    })
    assert.equal(status, 200)
    const fields = fieldsOf(text)
    assert.equal(fields['camels.3.name'], 'Esma')
    assert.equal(fields['camels.8.name'], '')
    assert.lengthOf(await camels(), 3)
  })

  test('[R11.3] the copy of a record begins with copies of its rows, which a save creates', async ({
    assert,
  }) => {
    await Camel.query().where('name', 'Chadi').update({ position: 0 })
    const { text } = await get(`/admin/Caravan/create_page?from=${caravan.id}`, {
      headers: { cookie },
    })
    const fields = fieldsOf(text)
    const names = [0, 1, 2].map((index) => fields[`camels.${index}.name`])
    assert.deepEqual(names, ['Chadi', 'Asra', 'Basim'])
    assert.notProperty(fields, 'camels.0.id')
    const { status } = await create({ ...fields, 'name': 'Salt', 'camels.1.weight': '200' })
    assert.equal(status, 303)
    const copy = await Caravan.findByOrFail('name', 'Salt')
    const rows = await Camel.query().where('caravan_id', copy.id).orderBy('position')
    assert.deepEqual(
      rows.map(({ name, weight }) => [name, weight]),
      [
        ['Chadi', 102],
        ['Asra', 200],
        ['Basim', 101],
      ]
    )
    assert.equal(await numberOfCamels(), 6)
  })

  test('[R11.3] the copy names the rows that it does not copy because the user can’t create them', async ({
    assert,
  }) => {
    await makeRole('Clerk', { Caravan: { actions: ['*'] }, Camel: { actions: ['view'] } })
    const clerk = await makeUser('kim', { isSuperuser: false, roles: ['Clerk'] })
    const { text } = await get(`/admin/Caravan/create_page?from=${caravan.id}`, {
      headers: { cookie: await cookiesOf(clerk) },
    })
    assert.include(text, 'Camels are not copied')
    assert.notInclude(text, 'Asra')
  })

  test('[R2, E3, R7] saving a form with rows is one event of its record, and is undone as a whole', async ({
    assert,
  }) => {
    const before = [await camels(), caravan.name]
    await update({
      ...fieldsOf(await open()),
      'camels.0.weight': '5',
      'camels.1.__remove': '1',
      'camels.3.name': 'Esma',
      'camels.3.weight': '3',
    })
    const { event, records } = await lastEvent()
    assert.deepEqual(
      [event.event_type, event.resource_type, event.resource_id],
      ['UPDATE', 'Caravan', String(caravan.id)]
    )
    assert.sameDeepMembers(
      records.map(({ resource_type: type, action }) => [type, action]),
      [
        ['Camel', 'UPDATE'],
        ['Camel', 'DELETE'],
        ['Camel', 'UPDATE'],
        ['Camel', 'CREATE'],
      ]
    )
    const undone = await undo(event.id)
    assert.equal(undone.status, 200, undone.text)
    await caravan.refresh()
    assert.deepEqual([await camels(), caravan.name], before)

    await create({ 'name': 'Salt', 'camels.0.name': 'Esma', 'camels.0.weight': '80' })
    const made = await lastEvent()
    assert.deepEqual([made.event.event_type, made.event.resource_type], ['CREATE', 'Caravan'])
    assert.lengthOf(made.records, 2)
    const gone = await undo(made.event.id)
    assert.equal(gone.status, 200, gone.text)
    assert.isNull(await Caravan.findBy('name', 'Salt'))
    assert.deepEqual([await camels(), caravan.name], before)
  }).tags(['@database'])

  test('[R2, R7, R9] the history of a record shows changes of its rows, and their undo', async ({
    assert,
  }) => {
    const history = async (as: string) => {
      const { text } = await get(`/admin/Caravan/history/${caravan.id}`, {
        headers: { cookie: as },
      })
      return [...text.matchAll(/<article.*?<\/article>/gs)].map(([entry]) => entry)
    }
    await update({ ...fieldsOf(await open()), 'camels.1.__remove': '1' })
    const { event } = await lastEvent()
    await undo(event.id)
    const undoing = await lastEvent()
    assert.deepInclude(undoing.event, {
      event_type: 'UPDATE',
      resource_type: 'Caravan',
      resource_id: String(caravan.id),
    })
    await update({ ...fieldsOf(await open()), name: 'Salt' })

    const superuser = await cookiesOf(await makeUser('super', { isSuperuser: true }))
    const entries = await history(superuser)
    assert.lengthOf(entries, 3)
    assert.include(entries[0], 'Changed: Name')
    assert.include(entries[1], 'Changed: Camels')
    assert.include(entries[1], `/admin/management/events/${undoing.event.id}"`)
    assert.include(entries[2], `/admin/management/events/${event.id}"`)

    const others = await history(cookie)
    assert.lengthOf(others, 3)
    assert.include(others[2], 'Changed: Camels')
    assert.notInclude(others.join(''), '/management/events')
  })

  test('[R2] two hundred rows are read with at most three queries, and changed in one request', async ({
    assert,
  }) => {
    const rows = Array.from({ length: 197 }, (_, index) => ({
      caravan_id: caravan.id,
      name: `Camel ${index}`,
      weight: index,
      position: index + 4,
    }))
    await db.table('caravan_camels').multiInsert(rows)
    await db.table('caravan_oases').multiInsert([{ name: 'Siwa' }, { name: 'Kufra' }])
    await db.rawQuery('update caravan_camels set oasis_id = (select min(id) from caravan_oases)')
    let text = ''
    const queries = await queriesOf(async () => void (text = await open()))
    const ofRows = queries.filter((sql) => /from [`"]caravan_(camels|oases)[`"]/.test(sql))
    assert.isAtMost(ofRows.length, 3, ofRows.join('\n'))
    assert.isBelow(text.length, 1_000_000)

    const fields = fieldsOf(text)
    for (let index = 0; index < 200; index++) fields[`camels.${index}.weight`] = '42'
    const { status } = await update(fields)
    assert.equal(status, 303)
    const [{ total }] = await db.from('caravan_camels').where('weight', 42).count('* as total')
    assert.equal(Number(total), 200)
  })
    .tags(['@database'])
    .timeout(20_000)

  test('[R2] more than 500 rows are edited in their list instead of the form', async ({
    assert,
  }) => {
    const rows = Array.from({ length: 498 }, (_, index) => ({
      caravan_id: caravan.id,
      name: `Camel ${index}`,
      weight: index,
    }))
    await db.table('caravan_camels').multiInsert(rows)
    const text = await open()
    assert.include(text, 'These are more than 500 rows')
    assert.include(text, `/admin/Camel/?filter.caravan_id=${caravan.id}`)
    assert.notProperty(fieldsOf(text), 'camels.0.name')
    const { status } = await update({ 'camels.0.name': 'Dalal', 'camels.0.weight': '1' })
    assert.equal(status, 400)

    const many = Array.from({ length: 501 }, (_, index): [string, string] => [
      `camels.${index}.name`,
      `Camel ${index}`,
    ])
    const response = await create({ name: 'Long', ...Object.fromEntries(many) })
    assert.equal(response.status, 422)
    assert.include(response.text, 'A form can have at most 500 rows')
    assert.isNull(await Caravan.findBy('name', 'Long'))
  }).tags(['@database'])

  test('[R2, P14] a row that the policy refuses to read is not in the form', async ({ assert }) => {
    for (const place of ['Nowhere', 'Merv']) await Stop.create({ caravanId: caravan.id, place })
    const text = await open()
    assert.notInclude(text, 'Nowhere')
    const fields = fieldsOf(text)
    assert.deepEqual([fields['stops.0.place'], fields['stops.1.place']], ['Merv', ''])
  })

  test('[R2] more than 500 stored rows are edited in their list, also if the policy hides some of them', async ({
    assert,
  }) => {
    const rows = Array.from({ length: 501 }, (_, index) => ({
      caravan_id: caravan.id,
      place: index === 0 ? 'Nowhere' : `Stop ${index}`,
    }))
    for (const some of [rows.slice(0, 300), rows.slice(300)]) {
      await db.table('caravan_stops').multiInsert(some)
    }
    const text = await open()
    assert.include(text, `/admin/Stop/?filter.caravan_id=${caravan.id}`)
    assert.notProperty(fieldsOf(text), 'stops.0.place')
  })

  test('[R2, B17] a form with files accepts rows as well', async ({ assert }) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fieldsOf(await open()))) form.append(name, value)
    form.set('camels.0.weight', '77')
    form.append('camels.7.name', 'Esma')
    form.append('camels.7.weight', '3')
    const request = new Request('http://localhost', { method: 'POST', body: form })
    const { status } = await call('POST', `/admin/Caravan/form_update/${caravan.id}`, {
      body: new Uint8Array(await request.arrayBuffer()),
      headers: { cookie, 'content-type': request.headers.get('content-type')! },
    })
    assert.equal(status, 303)
    assert.deepEqual(
      [await columnOf(0), await columnOf(1)],
      [
        ['Asra', 'Basim', 'Chadi', 'Esma'],
        [77, 101, 102, 3],
      ]
    )
  })
})
