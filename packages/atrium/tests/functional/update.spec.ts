import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { get, patch, post } from '#tests/helpers/http'

const LONG_AGO = '2001-02-03 04:05:06'

async function createSample(values: object = {}) {
  const created = await post('/api/samples', { name: 'one', code: 'c1', ...values })
  await db.from('samples').where('id', created.body.id).update({ updated_at: LONG_AGO })
  return `/api/samples/${created.body.id}`
}

test.group('Update', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    for (const table of ['samples', 'utensils', 'coins', 'leads', 'fixture_invoices']) {
      await db.from(table).delete()
    }
  })

  test('[A3] an update returns 200 with null', async ({ assert }) => {
    const path = await createSample()
    const response = await patch(path, { name: 'two' })
    assert.equal(response.status, 200)
    assert.equal(response.text, 'null')
    assert.match(response.headers.get('content-type')!, /^application\/json/)
    assert.isNull(response.headers.get('preference-applied'))
    const read = await get(path)
    assert.equal(read.body.name, 'two')
  })

  test('[A3] Prefer: return=representation returns the updated item', async ({ assert }) => {
    const path = await createSample()
    const response = await patch(
      path,
      { name: 'two' },
      { headers: { prefer: 'respond-async, Return = "Representation"; x=1' } }
    )
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('preference-applied'), 'return=representation')
    const read = await get(path)
    assert.deepEqual(response.body, read.body)
    assert.equal(response.body.name, 'two')
  })

  test('[A3] Prefer: return=minimal returns 204', async ({ assert }) => {
    const path = await createSample()
    const response = await patch(path, { name: 'two' }, { headers: { prefer: 'return=minimal' } })
    assert.equal(response.status, 204)
    assert.equal(response.text, '')
    assert.equal(response.headers.get('preference-applied'), 'return=minimal')
    const read = await get(path)
    assert.equal(read.body.name, 'two')
  })

  test('[A3] an unknown return preference is ignored', async ({ assert }) => {
    const path = await createSample()
    const response = await patch(
      path,
      { name: 'two' },
      { headers: { prefer: 'return=everything' } }
    )
    assert.equal(response.text, 'null')
    assert.isNull(response.headers.get('preference-applied'))
  })

  test('[A28] only sent fields change, and an absent field is not null', async ({ assert }) => {
    const path = await createSample({ count: 3, long_text: 'kept' })
    await patch(path, { count: 4 })
    const read = await get(path)
    assert.deepInclude(read.body, { name: 'one', count: 4, long_text: 'kept', code: 'c1' })
  })

  test('[A28] a JSON value can have keys with the names of methods, and its changes are stored', async ({
    assert,
  }) => {
    const path = await createSample({ data: { valueOf: 1, isDirty: true } })
    const values: object[] = [
      { valueOf: 2, toString: { a: 1 } },
      { isDirty: false },
      [{ valueOf: null, constructor: 1 }],
    ]
    for (const data of values) {
      const { status } = await patch(path, { data })
      assert.equal(status, 200)
      const read = await get(path)
      assert.deepEqual(read.body.data, data as any)
    }
  })

  test('[A28] null clears a nullable column, and is a 422 for any other column', async ({
    assert,
  }) => {
    const path = await createSample({ count: 3 })
    const cleared = await patch(path, { count: null })
    assert.equal(cleared.status, 200)
    const refused = await patch(path, { name: null })
    assert.equal(refused.status, 422)
    assert.deepEqual(refused.body.errors, [
      { field: 'name', rule: 'nullable', message: 'The name field must not be null' },
    ])
    const read = await get(path)
    assert.deepInclude(read.body, { name: 'one', count: null })
  })

  test('[A20] any bytes can be written by an update, also bytes that are not text', async ({
    assert,
  }) => {
    const path = await createSample({ bytes: 'gA==' })
    await patch(path, { bytes: 'gQ==' })
    const read = await get(path)
    assert.equal(read.body.bytes, 'gQ==')
  })

  test('[A7] an update never changes a key, even if the schema contains it', async ({ assert }) => {
    await post('/api/coins', { id: 1, name: 'dime' })
    const response = await patch('/api/coins/1', { id: 2, name: 'cent' })
    assert.equal(response.status, 200)
    assert.deepEqual(await db.from('coins').select('id', 'name'), [{ id: 1, name: 'cent' }])
  })

  test('[A7] the soft-delete columns are set only if the schema contains them', async ({
    assert,
  }) => {
    const utensil = await post('/api/utensils', {
      name: 'Lamp',
      description: '',
      category: '',
      price: 1,
    })
    await patch(`/api/utensils/${utensil.body.id}`, { is_deleted: true, name: 'x' })
    const read = await get(`/api/utensils/${utensil.body.id}`)
    assert.isFalse(read.body.is_deleted)

    const lead = await post('/api/leads-by-api-name', { full_name: 'Ada' })
    await patch(`/api/leads-by-api-name/${lead.body.id}`, { is_deleted: true })
    const gone = await get(`/api/leads-by-api-name/${lead.body.id}`)
    assert.equal(gone.status, 404)
  })

  test('[S4, A23] an update sets updated_at, even without autoUpdate', async ({ assert }) => {
    const path = await createSample()
    const fresh = await get(path)
    assert.equal(fresh.body.updated_at, LONG_AGO)
    await patch(path, { name: 'two' })
    const read = await get(path)
    assert.isAbove(Date.parse(read.body.updated_at), Date.now() - 60_000)
  })

  test('[A23] writing the stored value also sets updated_at', async ({ assert }) => {
    const path = await createSample()
    await patch(path, { name: 'one' })
    const read = await get(path)
    assert.notEqual(read.body.updated_at, LONG_AGO)
  })

  test('[A23] an update without a known field changes nothing, and has the response of a successful update', async ({
    assert,
  }) => {
    const path = await createSample()
    const [before] = await db.from('samples')
    for (const body of [{}, { id: 5 }, { updated_at: '2020-01-01 00:00:00', colour: 'red' }]) {
      const response = await patch(path, body)
      assert.equal(response.status, 200)
      assert.equal(response.text, 'null')
    }
    const preferred = await patch(path, {}, { headers: { prefer: 'return=representation' } })
    assert.equal(preferred.body.name, 'one')
    assert.deepEqual(await db.from('samples'), [before])
  })

  test("[S4] the configured time columns are set, whether the CRUD object or the model's options name them", async ({
    assert,
  }) => {
    await db.from('jottings').delete()
    for (const mount of ['jottings-by-crud', 'jottings-by-call', 'jottings-by-both']) {
      const created = await post(`/api/${mount}`, { title: mount })
      assert.isNull(created.body.changed_at, mount)
      await patch(`/api/${mount}/${created.body.id}`, { title: `${mount}!` })
      const read = await get(`/api/${mount}/${created.body.id}`)
      assert.isNotNull(read.body.changed_at, mount)
      assert.isNull(read.body.seen_at, mount)
    }
  })

  test('[S4] without configuration, time columns are set only if they have the default names', async ({
    assert,
  }) => {
    await db.from('jottings').delete()
    const created = await post('/api/jottings', { title: 'a' })
    await patch(`/api/jottings/${created.body.id}`, { title: 'b' })
    const read = await get(`/api/jottings/${created.body.id}`)
    assert.deepInclude(read.body, { title: 'b', changed_at: null })
  })

  test('[S4] NOT NULL timestamps without a default are set on create', async ({ assert }) => {
    const created = await post('/api/fixture-invoices', { number: '1', amount: 5 })
    assert.equal(created.status, 201)
    assert.isNotNull(created.body.created_at)
    assert.isNotNull(created.body.updated_at)
    await db.from('fixture_invoices').update({ created_at: LONG_AGO, updated_at: LONG_AGO })
    await patch(`/api/fixture-invoices/${created.body.id}`, { amount: 6 })
    const read = await get(`/api/fixture-invoices/${created.body.id}`)
    assert.equal(read.body.created_at, LONG_AGO)
    assert.notEqual(read.body.updated_at, LONG_AGO)
  })

  test('[A6] an invalid body changes no row and no timestamp', async ({ assert }) => {
    const path = await createSample({ count: 3 })
    const [before] = await db.from('samples')
    const response = await patch(path, { name: 'two', count: 'many', active: 'perhaps' })
    assert.equal(response.status, 422)
    assert.sameMembers(
      response.body.errors.map((error: any) => error.field),
      ['count', 'active']
    )
    assert.deepEqual(await db.from('samples'), [before])
  })
})
