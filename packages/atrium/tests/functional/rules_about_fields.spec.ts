import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { LucidCrud } from '#crud'
import { fieldErrorsOf } from '#admin/testing'
import { Lodging, TOO_EARLY } from '#tests/fixtures/lodgings'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { call, get, patch, post } from '#tests/helpers/http'
import { csv, emptyImportTables, imports, run, tried } from '#tests/helpers/imports'
import { emptyJobTables, untilJob, work } from '#tests/helpers/jobs'

const LODGING = { guest: 'Ada', starts_on: '2026-01-02', ends_on: '2026-01-05' }
const ENDLESS = { ...LODGING, guest: 'Jo', ends_on: '2026-01-01' }
const ERRORS = [{ field: 'ends_on', rule: 'invalid', message: TOO_EARLY }]

test.group('Model rules that compare several fields', (group) => {
  let id: number
  let user: Awaited<ReturnType<typeof makeUser>>
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyImportTables()
    await emptyJobTables()
    await emptyAdminTables()
    await Lodging.query().delete()
    user = await makeUser('jo')
    cookie = await cookiesOf(user)
    const { body } = await post('/api/lodgings', LODGING)
    id = body.id
    return async () => void (await Lodging.query().delete())
  })

  const stored = async () => {
    const lodgings = await Lodging.query().orderBy('id')
    return lodgings.map(({ endsOn, guest }) => `${guest} ${endsOn.toISODate()}`)
  }

  test('[P8] the API names the field in the errors of a create, of an update of one field and of a batch', async ({
    assert,
  }) => {
    const created = await post('/api/lodgings', ENDLESS)
    assert.equal(created.status, 422)
    assert.deepEqual(created.body.errors, ERRORS)

    /* The stored value is the other one. */
    const changed = await patch(`/api/lodgings/${id}`, { starts_on: '2026-01-05' })
    assert.equal(changed.status, 422)
    assert.deepEqual(changed.body.errors, ERRORS)
    const longer = await patch(`/api/lodgings/${id}`, { ends_on: '2026-01-06' })
    assert.equal(longer.status, 200)

    const batch = await post('/api/lodgings/batch', {
      update: [{ id, guest: 'Eve' }],
      create: [ENDLESS],
    })
    assert.equal(batch.status, 422)
    assert.containSubset(batch.body.errors, [{ ...ERRORS[0], operation: 'create', index: 0 }])
    assert.deepEqual(await stored(), ['Ada 2026-01-06'])
  })

  test('a form shows the error of a model rule at its field, and a bulk edit shows its message', async ({
    assert,
  }) => {
    const created = await sendForm('/admin/Lodging/form_create', ENDLESS, { cookie })
    assert.equal(created.status, 422)
    assert.match(created.text, new RegExp(`id="field-ends_on-error"[^>]*>\\s*${TOO_EARLY}`))
    const values = { starts_on: '2026-02-01' }
    const json = { ids: [id], values }
    const edited = await call('POST', '/admin/Lodging/bulk-edit', { json, headers: { cookie } })
    assert.equal(edited.status, 422)
    assert.include(edited.text, TOO_EARLY)
    const page = await get(`/admin/Lodging/update/${id}`, { headers: { cookie } })
    assert.equal(page.status, 200)
    assert.deepEqual(await stored(), ['Ada 2026-01-05'])
  })

  test('an import reports the line and the field that violate a model rule', async ({
    assert,
    cleanup,
  }) => {
    const one = await tried(
      user,
      'Lodging',
      csv('guest,starts_on,ends_on', 'Eve,2026-01-01,2026-01-02', 'Jo,2026-01-02,2026-01-01')
    )
    const { id: job } = await run(user, one, { skipInvalid: true })
    cleanup(await work())
    await untilJob(job)
    const service = await imports()
    const imported = await service.find(one.id)
    assert.deepEqual(imported?.counts?.faults, [{ line: 3, field: 'ends_on', message: TOO_EARLY }])
    assert.deepEqual(await stored(), ['Ada 2026-01-05', 'Eve 2026-01-02'])
  })

  test('the test helper fieldErrorsOf returns the messages of a refused write', async ({
    assert,
  }) => {
    const lodgings = new LucidCrud(Lodging)
    const messages = { ends_on: TOO_EARLY }
    const day = DateTime.fromISO('2026-01-01')
    const values = { guest: 'Jo', startsOn: day, endsOn: day }
    assert.deepEqual(await fieldErrorsOf(lodgings.create(values)), messages)
    assert.deepEqual(await fieldErrorsOf(lodgings.update(id, { endsOn: day })), messages)
    await assert.rejects(() => fieldErrorsOf(lodgings.update(id, { guest: 'Eve' })), /succeeded/)
    await assert.rejects(() => fieldErrorsOf(lodgings.update(0, { guest: 'Eve' })), /not found/)
  })
})
