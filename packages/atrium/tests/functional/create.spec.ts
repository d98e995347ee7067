import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { call, get, post } from '#tests/helpers/http'

const empty = async (...tables: string[]) => {
  for (const table of tables) await db.from(table).delete()
}

test.group('Create', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(() =>
    empty('utensils', 'samples', 'leads', 'coins', 'countries', 'consignments')
  )

  test('[A1] a create returns 201 with the item, as a read returns it', async ({ assert }) => {
    const created = await post('/api/samples', { name: 'one', count: 3, active: true })
    assert.equal(created.status, 201)
    assert.match(created.headers.get('content-type')!, /^application\/json/)
    const read = await get(`/api/samples/${created.body.id}`)
    assert.deepEqual(created.body, read.body)
    assert.equal(created.body.count, 3)
  })

  test('[A1] Location is the URL of the new item', async ({ assert }) => {
    const created = await post('/api/countries', { code: 'a/b c', name: 'Odd' })
    assert.equal(created.headers.get('location'), '/api/countries/a%2Fb%20c')
    const read = await get(created.headers.get('location')!)
    assert.deepEqual(read.body, { code: 'a/b c', name: 'Odd' })
  })

  test('[S3] the item has the fields of the specification’s example, datetimes as YYYY-MM-DD HH:MM:SS', async ({
    assert,
  }) => {
    const created = await post('/api/utensils', {
      name: 'Lamp',
      description: 'Bright',
      category: 'Light',
      price: 12.5,
      last_sold: '2026-03-29 02:30:00',
    })
    const { id, created_at: createdAt, updated_at: updatedAt, ...rest } = created.body
    assert.isNumber(id)
    assert.match(createdAt, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.match(updatedAt, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.deepEqual(rest, {
      name: 'Lamp',
      description: 'Bright',
      category: 'Light',
      price: 12.5,
      sku: null,
      last_sold: '2026-03-29 02:30:00',
      is_deleted: false,
      deleted_at: null,
    })
  })

  test('[S3] created_at is the time of creation, in UTC', async ({ assert }) => {
    const before = DateTime.utc().startOf('second')
    const created = await post('/api/samples', { name: 'one' })
    const at = DateTime.fromSQL(created.body.created_at, { zone: 'utc' })
    assert.isTrue(at >= before && at <= DateTime.utc())
  })

  test('[A7] unknown fields are ignored', async ({ assert }) => {
    const created = await post('/api/samples', { name: 'one', colour: 'red', Name: 'x', hax: {} })
    assert.equal(created.status, 201)
    assert.equal(created.body.name, 'one')
    assert.notProperty(created.body, 'colour')
  })

  test('[A7] fields outside the schema are not set: key, timestamps, soft-delete columns', async ({
    assert,
  }) => {
    const created = await post('/api/utensils', {
      name: 'Lamp',
      description: '',
      category: '',
      price: 1,
      id: 4711,
      is_deleted: true,
      deleted_at: '2020-01-01 00:00:00',
      created_at: '2020-01-01 00:00:00',
      updated_at: '2020-01-01 00:00:00',
    })
    assert.equal(created.status, 201)
    assert.notEqual(created.body.id, 4711)
    assert.isFalse(created.body.is_deleted)
    assert.isNull(created.body.deleted_at)
    assert.notEqual(created.body.created_at, '2020-01-01 00:00:00')
    assert.notEqual(created.body.updated_at, '2020-01-01 00:00:00')
  })

  test('[A7] a schema can allow clients to set the key', async ({ assert }) => {
    const created = await post('/api/coins', { id: 77, name: 'dime' })
    assert.deepEqual(created.body, { id: 77, name: 'dime' })
    assert.equal(created.headers.get('location'), '/api/coins/77')
  })

  test('[P6] a schema can name columns by their attributes, and the API uses the API names', async ({
    assert,
  }) => {
    const created = await post('/api/leads-by-attribute', {
      full_name: 'Ada',
      mail: 'ada@example.org',
      phone_number: '123',
    })
    assert.equal(created.status, 201)
    assert.deepInclude(created.body, {
      full_name: 'Ada',
      mail: 'ada@example.org',
      phone_number: '123',
    })
    assert.notProperty(created.body, 'fullName')
    const [row] = await db.from('leads')
    assert.equal(row.email_address, 'ada@example.org')
  })

  test('[P6] an attribute name in the body is treated as an unknown field', async ({ assert }) => {
    const response = await post('/api/leads-by-attribute', { fullName: 'Ada' })
    assert.equal(response.status, 422)
    assert.deepEqual(
      response.body.errors.map((error: any) => error.field),
      ['full_name']
    )
  })

  test('[P6] a compiled validator can name columns by API names and rename them', async ({
    assert,
  }) => {
    const created = await post('/api/leads-by-api-name', { full_name: ' Ada ', mail: 'a@b.org' })
    assert.equal(created.status, 201)
    /* The schema trims. */
    assert.deepInclude(created.body, { full_name: 'Ada', mail: 'a@b.org', phone_number: null })
  })

  test('[P6] errors name fields by their API names', async ({ assert }) => {
    const response = await post('/api/leads-by-attribute', { full_name: 5, mail: 'x' })
    assert.deepEqual(response.body.errors, [
      { field: 'full_name', rule: 'string', message: 'The full_name field must be a string' },
      { field: 'mail', rule: 'email', message: 'The mail field must be a valid email address' },
    ])
  })

  test('[A4] a refused body is a problem that names the invalid fields', async ({ assert }) => {
    const response = await post('/api/samples', {})
    assert.equal(response.status, 422)
    assert.match(response.headers.get('content-type')!, /^application\/problem\+json/)
    assert.deepEqual(response.body, {
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      detail: 'The body has fields that are not valid',
      errors: [{ field: 'name', rule: 'required', message: 'The name field must be defined' }],
    })
  })

  test('[A6] urlencoded forms are accepted, and a repeated field is a list', async ({ assert }) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const created = await call('POST', '/api/samples', {
      body: 'name=two+words&count=7&active=true&ratio=1.5&code=%C3%A4',
      headers,
    })
    assert.equal(created.status, 201)
    assert.deepInclude(created.body, {
      name: 'two words',
      count: 7,
      active: true,
      ratio: 1.5,
      code: 'ä',
    })
    const twice = await call('POST', '/api/samples', { body: 'name=a&name=b', headers })
    assert.equal(twice.status, 422)
    assert.equal(twice.body.errors[0].field, 'name')
  })

  test('[A20] a column’s custom serialize and consume take precedence over the conversions of the API', async ({
    assert,
  }) => {
    const created = await post('/api/consignments', {
      price: 250,
      weight: 2,
      sent_at: '2024-01-01 23:30:00',
      content: '5',
    })
    assert.equal(created.status, 201)
    assert.deepInclude(created.body, {
      price: 'EUR 2.50',
      sent_at: '2024-01-01',
      content: '5',
      double_price: 500,
    })
    const list = await get('/api/consignments')
    assert.deepEqual(list.body.data, [created.body])
  })

  test('[A20] a text column with conversions accepts what its schema accepts', async ({
    assert,
  }) => {
    const created = await post('/api/tagged-consignments', {
      price: 1,
      weight: 1,
      tags: ['a', 'b'],
    })
    assert.equal(created.status, 201)
    assert.deepEqual(created.body.tags, ['a', 'b'])
    const [row] = await db.from('consignments')
    assert.equal(row.tags, '["a","b"]')
  })
})
