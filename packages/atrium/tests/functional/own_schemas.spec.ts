import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { onSqlite } from '#tests/helpers/databases'
import { call, get, patch, post } from '#tests/helpers/http'
import { Coupon } from '#tests/fixtures/own_schemas'
import { runs } from '#tests/helpers/random_runs'

const fieldsOf = (response: { body: any }) => response.body.errors.map((one: any) => one.field)

const stored = () => db.from('coupons').orderBy('id', 'desc').firstOrFail()

test.group('Custom schemas of a model', (group) => {
  group.each.setup(async () => {
    await Coupon.query().delete()
  })

  test('[A28] a custom schema receives the value from the body: {field} {sent}')
    .with([
      { field: 'serial', sent: '12', answered: 12 },
      { field: 'price', sent: '12.50', answered: 12.5 },
      { field: 'level', sent: '2', answered: 2 },
      { field: 'cents', sent: '12,50', answered: 1250 },
      { field: 'share', sent: '12.50', answered: 12.5 },
      { field: 'share', sent: 12.5, answered: 12.5 },
      { field: 'stock', sent: 5, answered: 5 },
      { field: 'stock', sent: '5', answered: 5 },
      { field: 'mood', sent: 'brisk', answered: 'brisk' },
      { field: 'active', sent: 'false', answered: false },
      { field: 'active', sent: 'true', answered: true },
      { field: 'day', sent: '2024-02-29', answered: '2024-02-29' },
      { field: 'moment', sent: '2024-05-06T00:30:00+02:00', answered: '2024-05-05 22:30:00' },
      { field: 'stamp', sent: '2024-05-06 07:08:09', answered: '2024-05-06 07:08:09' },
      { field: 'clock', sent: '07:08', answered: '07:08:00' },
      { field: 'zip', sent: 12345, answered: '12345' },
      {
        field: 'data',
        sent: { lines: [{ count: '5', note: null }], at: '2024-05-06' },
        answered: { lines: [{ count: 5, note: null }], at: '2024-05-06T00:00:00.000Z' },
      },
    ])
    .run(async ({ assert }, { field, sent, answered: responded }) => {
      const created = await post('/api/coupons', { [field]: sent })
      assert.equal(created.status, 201, created.text)
      assert.deepEqual(created.body[field], responded)
      const read = await get(`/api/coupons/${created.body.id}`)
      assert.deepEqual(read.body[field], responded)

      const emptied = await patch(`/api/coupons/${created.body.id}`, { [field]: null })
      assert.equal(emptied.status, 200)
      const changed = await patch(`/api/coupons/${created.body.id}`, { [field]: sent })
      assert.equal(changed.status, 200)
      const again = await get(`/api/coupons/${created.body.id}`)
      assert.deepEqual(again.body[field], responded)
    })

  test(
    '[A28] a value that the column accepts and the custom schema refuses is a 422: {field} {sent}'
  )
    .with([
      { field: 'serial', sent: 12 },
      { field: 'price', sent: 12.5 },
      { field: 'price', sent: '12.5' },
      { field: 'level', sent: '3' },
      { field: 'level', sent: 2 },
      { field: 'cents', sent: '12.50' },
      { field: 'cents', sent: 1250 },
      { field: 'mood', sent: 1 },
      { field: 'active', sent: true },
      { field: 'stamp', sent: '2024-05-06T07:08:09Z' },
      { field: 'data', sent: { lines: [{ count: 'x', note: null }] } },
      { field: 'share', sent: true },
      { field: 'share', sent: '' },
      { field: 'share', sent: [5] },
      { field: 'share', sent: '0x10' },
    ])
    .run(async ({ assert }, { field, sent }) => {
      const response = await post('/api/coupons', { [field]: sent })
      assert.equal(response.status, 422)
      assert.equal(fieldsOf(response)[0].split('.')[0], field)
    })

  test("[A28] a value that the schema accepts and the column can't store is 422", async ({
    assert,
  }) => {
    const response = await post('/api/coupons', {
      serial: '9223372036854775808',
      stock: 'many',
      clock: '25:00',
      stamp: '2024-02-30 00:00:00',
    })
    assert.equal(response.status, 422)
    assert.sameMembers(fieldsOf(response), ['serial', 'stock', 'clock', 'stamp'])
  })

  test('[A20] all digits of a 64-bit integer are preserved as text', async ({ assert }) => {
    const digits = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String)
    await fc.assert(
      fc.asyncProperty(digits, async (serial) => {
        const { body } = await post('/api/coupons', { serial })
        const read = await get(`/api/coupons/${body.id}`)
        assert.equal(String(read.body.serial), serial)
      }),
      { numRuns: runs(40) }
    )
  })

  test('[A20] every decimal is stored with the digits that were sent', async ({ assert }) => {
    const digits = fc.bigInt({ min: 0n, max: 10n ** 20n - 1n }).map((cents) => {
      const text = String(cents).padStart(3, '0')
      return `${text.slice(0, -2)}.${text.slice(-2)}`
    })
    await fc.assert(
      fc.asyncProperty(digits, async (price) => {
        const response = await post('/api/coupons', { price })
        assert.equal(response.status, 201, price)
        const { price: saved } = await stored()
        assert.equal(Number(saved).toFixed(2), Number(price).toFixed(2))
        if (typeof saved === 'string') assert.equal(saved, price)
      }),
      { numRuns: runs(40) }
    )
    const beyond = await post('/api/coupons', { price: '1000000000000000000.00' })
    assert.deepEqual(fieldsOf(beyond), ['price'])
  }).skip(onSqlite, 'its decimals are floating-point numbers')

  test('[Q1, A28] openapi.json describes what the custom schema accepts', async ({ assert }) => {
    const { body } = await get('/api/openapi.json')
    const { post: create } = body.paths['/api/coupons']
    const schema = create.requestBody.content['application/json'].schema
    const { properties } = schema.$ref
      ? body.components.schemas[schema.$ref.split('/').at(-1)]
      : schema
    assert.deepEqual(properties.serial, {
      type: ['string', 'null'],
      pattern: String.raw`^\d{1,19}$`,
    })
    assert.deepEqual(properties.level, { type: ['string', 'null'], enum: ['1', '2', null] })
    assert.deepEqual(properties.active, { type: ['string', 'null'], enum: ['true', 'false', null] })
    assert.deepEqual(properties.share.type, ['number', 'null'])
    assert.deepEqual(properties.zip.type, ['number', 'null'])
    assert.include(properties.stamp.pattern, ' ')
  })
})

test.group('Forms of models with custom schemas', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Coupon.query().delete()
    cookie = await cookiesOf(await makeUser('jo'))
  })

  const send = (fields: Record<string, string>) =>
    sendForm('/admin/Coupon/form_create', fields, { cookie })

  test('[B17, A28] typed text is passed to the schema as text: {field} {typed}')
    .with([
      { field: 'serial', typed: '9007199254740993', kept: '9007199254740993' },
      { field: 'price', typed: '5.00', kept: 5 },
      { field: 'level', typed: '2', kept: 2 },
      { field: 'cents', typed: '12,50', kept: 1250 },
      { field: 'share', typed: '1e3', kept: 1000 },
      { field: 'stock', typed: '5', kept: 5 },
      { field: 'mood', typed: 'brisk', kept: 'brisk' },
      { field: 'active', typed: 'false', kept: false },
      { field: 'day', typed: '2024-02-29', kept: '2024-02-29' },
      { field: 'moment', typed: '2024-05-06T07:08', kept: '2024-05-06 07:08:00' },
      { field: 'stamp', typed: '2024-05-06T07:08', kept: '2024-05-06 07:08:00' },
      { field: 'clock', typed: '07:08', kept: '07:08:00' },
      { field: 'zip', typed: '12345', kept: '12345' },
      {
        field: 'data',
        typed: '{"lines":[{"count":1,"note":null}]}',
        kept: { lines: [{ count: 1, note: null }] },
      },
    ])
    .run(async ({ assert }, { field, typed, kept: saved }) => {
      const response = await send({ [field]: typed })
      assert.equal(response.status, 303, response.text)
      const { body } = await get('/api/coupons')
      assert.deepEqual(body.data[0][field], saved)
      const page = `/admin/Coupon/form_update/${body.data[0].id}`
      const updated = await sendForm(page, { [field]: typed }, { cookie })
      assert.include([200, 303], updated.status, updated.text)
    })

  test('[B17] a field with a text schema is a text input', async ({ assert }) => {
    const { text } = await call('GET', '/admin/Coupon/create_page', { headers: { cookie } })
    assert.notMatch(text, /<input[^>]*type="number"[^>]*name="(serial|price|cents)"/)
    assert.notMatch(text, /<input[^>]*name="(serial|price|cents)"[^>]*type="number"/)
    const refused = await send({ cents: '12.50' })
    assert.equal(refused.status, 422)
  })
})
