import { test } from '@japa/runner'
import { strange } from '#tests/helpers/actors'
import { its } from '#tests/helpers/its'
import db from '@adonisjs/lucid/services/db'
import { useTokenAuthorizer } from '#crud/endpoints/access'
import { LucidCrud } from '#crud'
import { bearerIsUser } from '#tests/fixtures/crud'
import { WardPatient, reassignTo, Visit } from '#tests/fixtures/wards'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { call, type HttpResponse } from '#tests/helpers/http'
import { insertRow } from '#tests/helpers/databases'
import { queriesOf } from '#tests/helpers/queries'

const NOWHERE = 999_999

test.group('References to hidden records', (group) => {
  let own: number
  let foreign: number
  let sealed: number
  let deleted: number
  let cookie: string

  group.setup(async () => {
    const before = useTokenAuthorizer(bearerIsUser)
    const restore = await fakeHashes()
    return () => {
      useTokenAuthorizer(before)
      restore()
    }
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['ward_visits', 'ward_patients', 'ward_rooms'])
      await db.from(table).delete()
    const patient = (code: string, values: Record<string, unknown> = {}) =>
      insertRow('ward_patients', { code, name: code, ward: 'anna', ...values })
    own = await patient('own')
    foreign = await patient('foreign', { ward: 'bert' })
    sealed = await patient('sealed', { name: 'Sealed' })
    deleted = await patient('deleted', { is_deleted: true })
    cookie = await cookiesOf(await makeUser('anna', { isSuperuser: false }))
  })

  const headers = { authorization: 'Bearer anna' }
  const create = (json: unknown) => call('POST', '/api/ward-visits', { json, headers })
  const update = (id: number, json: unknown) =>
    call('PATCH', `/api/ward-visits/${id}`, { json, headers })
  const told = ({ status, text }: HttpResponse) => ({ status, text })

  test('[P14] a reference to a hidden or refused record is treated like a missing one: {0}')
    .with([
      ['patient_id', 'by a relation'],
      ['follows_id', 'by the database alone'],
      ['patient', 'by own code that makes the reference of a virtual field'],
    ])
    .run(async ({ assert }, [field]) => {
      const visit = await insertRow('ward_visits', { reason: 'cough' })
      const writes = [
        create,
        ...(field === 'patient' ? [] : [(json: unknown) => update(visit, json)]),
      ]
      for (const write of writes) {
        const nothing = told(await write({ [field]: NOWHERE }))
        assert.equal(nothing.status, 409)
        const { detail, errors } = JSON.parse(nothing.text)
        assert.equal(detail, 'The item refers to another one that does not exist')
        const column = field === 'patient' ? 'patient_id' : field
        assert.deepEqual(
          errors.map((error: any) => [error.field, error.rule]),
          [[column, 'foreign_key']]
        )
        for (const id of [foreign, sealed]) {
          assert.deepEqual(told(await write({ [field]: id })), nothing)
        }
        assert.lengthOf(await db.from('ward_visits').whereNotNull('patient_id'), 0)
        assert.lengthOf(await db.from('ward_visits').whereNotNull('follows_id'), 0)
      }
      for (const write of writes) {
        assert.isBelow(await its(write({ [field]: own }), 'status'), 300)
      }
      assert.isBelow(await its(create({ [field]: deleted }), 'status'), 300)
    })

  test('[P14] references are checked between a model that names its connection and one that does not', async ({
    assert,
    cleanup,
  }) => {
    Visit.connection = db.primaryConnectionName
    cleanup(() => {
      Visit.connection = undefined
    })
    const refused = await create({ follows_id: foreign })
    assert.equal(refused.status, 409)
    assert.lengthOf(await db.from('ward_visits'), 0)
  })

  test('[P14] a relation without a foreign key is checked, also one to a column other than the key', async ({
    assert,
  }) => {
    const nothing = await create({ witness_code: 'nobody' })
    assert.equal(nothing.status, 409)
    assert.deepEqual(
      nothing.body.errors.map((error: any) => error.field),
      ['witness_code']
    )
    assert.deepEqual(told(await create({ witness_code: 'foreign' })), told(nothing))
    assert.deepEqual(told(await create({ witness_code: 'sealed' })), told(nothing))
    assert.equal(await its(create({ witness_code: 'own' }), 'status'), 201)
  })

  test('[P14] one response lists all fields that refer to hidden or missing records', async ({
    assert,
  }) => {
    const fieldsOf = ({ body }: HttpResponse) => body.errors.map((error: any) => error.field)
    const refused = await create({ patient_id: foreign, follows_id: NOWHERE, room_id: NOWHERE })
    const nothing = await create({ patient_id: NOWHERE, follows_id: NOWHERE, room_id: NOWHERE })
    assert.deepEqual(fieldsOf(refused), ['patient_id', 'follows_id'])
    assert.deepEqual(told(refused), told(nothing))
  })

  test('[P14] an unchanged reference is not checked again', async ({ assert }) => {
    const visit = await insertRow('ward_visits', { patient_id: foreign, follows_id: sealed })
    const same = await update(visit, { reason: 'fever', patient_id: foreign, follows_id: sealed })
    assert.equal(same.status, 200)
    assert.equal(await its(update(visit, { follows_id: own }), 'status'), 200)
    assert.equal(await its(update(visit, { follows_id: null }), 'status'), 200)
    assert.equal(await its(update(visit, { follows_id: sealed }), 'status'), 409)
    const [row] = await db.from('ward_visits')
    assert.deepInclude(row, { reason: 'fever', patient_id: foreign, follows_id: null })
  })

  test('[P14] references to models without policy and scope cause no query', async ({ assert }) => {
    const room = await insertRow('ward_rooms', { name: 'Twelve' })
    const crud = new LucidCrud(Visit)
    const actor = strange({ kind: 'token', user: 'anna' })
    /* Counts lookups only, as other tests may write at the same time. */
    const lookups = async (values: object) => {
      const queries = await queriesOf(() => crud.create({ ...values }, { actor }))
      return queries.filter((sql) => /^select.*ward_(patients|rooms)/s.test(sql))
    }
    assert.lengthOf(await lookups({ reason: 'x' }), 0)
    assert.lengthOf(await lookups({ roomId: room }), 0)
    const booked = await lookups({ patientId: own })
    assert.lengthOf(booked, 1)
    assert.match(booked.join('\n'), /ward_patients/)
  })

  test('[P14] application code that runs as the system can refer to every record', async ({
    assert,
  }) => {
    const crud = new LucidCrud(Visit)
    const actor = { kind: 'system', name: 'import' } as const
    const item = await crud.create({ patientId: foreign }, { actor })
    assert.equal(item.patient_id, foreign)
    await assert.rejects(() => crud.create({ patientId: foreign }), /does not exist/)
  })

  test('[P14, S39] forms, /crud and bulk actions refuse references to hidden records too', async ({
    assert,
  }) => {
    const form = await sendForm(
      '/admin/Visit/form_create',
      { patient_id: String(foreign) },
      { cookie }
    )
    assert.equal(form.status, 422)
    assert.include(form.text, 'refers to an item that does not exist')
    const mounted = await call('POST', '/admin/Visit/crud', {
      json: { patient_id: foreign },
      headers: { cookie },
    })
    assert.equal(mounted.status, 409)

    const visit = await insertRow('ward_visits', { patient_id: own })
    reassignTo(foreign)
    await sendForm('/admin/Visit/action/reassign', { ids: String(visit) }, { cookie })
    const [row] = await db.from('ward_visits')
    assert.equal(row.patient_id, own)
    const other = await WardPatient.create({ code: 'other', name: 'other', ward: 'anna' })
    reassignTo(other.id)
    await sendForm('/admin/Visit/action/reassign', { ids: String(visit) }, { cookie })
    const [reassigned] = await db.from('ward_visits')
    assert.equal(reassigned.patient_id, other.id)
  })
})
