import { test } from '@japa/runner'
import { its } from '#tests/helpers/its'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { patch, post } from '#tests/helpers/http'
import { runs } from '#tests/helpers/random_runs'

/* Values that no column accepts, and values that only some accept. */
const odd = fc.constantFrom<unknown>(
  null,
  '',
  ' ',
  'x'.repeat(11),
  'x'.repeat(21),
  'x'.repeat(61),
  5,
  -1.5,
  '7',
  '1e3',
  '0x10',
  true,
  'true',
  'on',
  0,
  1,
  [],
  [5],
  {},
  '2024-02-30',
  '2024-05-06',
  '2024-05-06 07:08:09',
  '2024-05-06T07:08:09+02:00',
  '24:00',
  '07:08',
  'draft',
  'lost',
  'QUI=',
  '9007199254740993',
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
)

const fitting: Record<string, fc.Arbitrary<unknown>> = {
  name: fc.string({ maxLength: 20 }),
  long_text: fc.string(),
  count: fc.integer(),
  big: fc.oneof(fc.maxSafeInteger(), fc.constant('1234567890123456789')),
  ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
  active: fc.boolean(),
  day: fc.constantFrom('2024-02-29', '1999-12-31'),
  moment: fc.constantFrom('2024-02-29 12:13:14', '2024-02-29T12:13:14-07:00', '2024-02-29'),
  plain_moment: fc.constantFrom('2024-02-29 12:13:14', '2024-02-29T12:13:14Z'),
  clock: fc.constantFrom('00:00:00', '23:59:59', '12:30'),
  data: fc.jsonValue(),
  bytes: fc.constantFrom('', 'QUI=', 'QUJD'),
  token: fc.uuid(),
  status: fc.constantFrom('draft', 'sent', 'paid'),
  code: fc.string({ maxLength: 10 }),
}

/** A body of mostly valid values, with some invalid, missing and unknown fields. */
const bodies = fc.record(
  {
    ...Object.fromEntries(
      Object.entries(fitting).map(([field, values]) => [
        field,
        fc.oneof({ arbitrary: values, weight: 12 }, { arbitrary: odd, weight: 1 }),
      ])
    ),
    id: fc.integer({ min: 1000, max: 2000 }),
    created_at: odd,
    updated_at: odd,
    unknown: odd,
  },
  { requiredKeys: [] }
)

/* Without the key and the timestamps, which always differ. */
const stable = ({ id, created_at, updated_at, ...item }: Record<string, unknown>) => item

const LONG_AGO = '2001-02-03 04:05:06'

const fieldsOf = ({ body }: { body: any }) =>
  body?.errors?.map((error: { field: string }) => error.field).sort()

test.group('Derived schemas', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    for (const table of [
      'samples',
      'fixture_invoices',
      'jottings',
      'seats',
      'countries',
      'tickets',
    ]) {
      await db.from(table).delete()
    }
  })

  test('[A7, P7] a hidden column is set only through an explicit schema', async ({ assert }) => {
    await db.from('samples').delete()
    const hidden = async () => await its(db.from('samples').firstOrFail(), 'secret')
    const body = { name: 'one', secret: 'mine' }

    const { body: derived } = await post('/api/samples', body)
    assert.isNull(await hidden())
    await patch(`/api/samples/${derived.id}`, { count: 2, secret: 'mine' })
    assert.isNull(await hidden())
    await db.from('samples').delete()

    const { body: own } = await post('/api/samples-by-hand', body)
    assert.equal(await hidden(), 'mine')
    await patch(`/api/samples-by-hand/${own.id}`, { secret: 'yours' })
    assert.equal(await hidden(), 'yours')
  })

  test('[P7] a derived create schema accepts and refuses the same as a hand-written one', async ({
    assert,
  }) => {
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        await db.from('samples').delete()
        const derived = await post('/api/samples', body)
        const [derivedRow] = await db.from('samples')
        await db.from('samples').delete()
        const written = await post('/api/samples-by-hand', body)
        const [writtenRow] = await db.from('samples')

        statuses.add(derived.status)
        assert.equal(derived.status, written.status, written.text + derived.text)
        assert.deepEqual(fieldsOf(derived), fieldsOf(written))
        if (derived.status === 201) {
          assert.deepEqual(stable(derived.body), stable(written.body))
          assert.deepEqual(stable(derivedRow), stable(writtenRow))
        }
      }),
      { numRuns: runs(150) }
    )
    assert.sameMembers([...statuses], [201, 422])
  })

  test('[P7] a derived update schema accepts and refuses the same as a hand-written one', async ({
    assert,
  }) => {
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        await db.from('samples').delete()
        const rows = []
        const responses = []
        for (const path of ['/api/samples', '/api/samples-by-hand']) {
          await db.table('samples').insert({ id: 1, name: 'one', count: 5, created_at: LONG_AGO })
          const response = await patch(`${path}/1`, body)
          rows.push(stable(await db.from('samples').firstOrFail()))
          responses.push(response)
          await db.from('samples').delete()
        }
        statuses.add(responses[0].status)
        assert.equal(
          responses[0].status,
          responses[1].status,
          responses[1].text + responses[0].text
        )
        assert.deepEqual(fieldsOf(responses[0]), fieldsOf(responses[1]))
        assert.deepEqual(rows[0], rows[1])
      }),
      { numRuns: runs(150) }
    )
    assert.sameMembers([...statuses], [200, 422])
  })

  test('[P7] a field is required if it is not nullable and has no default of table or model', async ({
    assert,
  }) => {
    const sample = await post('/api/samples', {})
    assert.deepEqual(fieldsOf(sample), ['name'])
    const invoice = await post('/api/fixture-invoices', {})
    assert.deepEqual(fieldsOf(invoice), ['amount', 'number'])
    const minimal = await post('/api/fixture-invoices', { number: '1', amount: 5 })
    assert.deepInclude(minimal.body, { discount: 0, state: 'open', note: null })
  })

  test('[P7] a derived update schema requires no field', async ({ assert }) => {
    const { body } = await post('/api/fixture-invoices', { number: '1', amount: 5 })
    const response = await patch(`/api/fixture-invoices/${body.id}`, { note: 'x' })
    assert.equal(response.status, 200)
  })

  test('[P7] a key that the database does not generate is part of the body', async ({ assert }) => {
    const seat = await post('/api/seats', {})
    assert.deepEqual(fieldsOf(seat), ['hall', 'label', 'place'])
    const country = await post('/api/countries', { name: 'x' })
    assert.deepEqual(fieldsOf(country), ['code'])
    const ticket = await post('/api/tickets', { id: 'mine', title: 'x' })
    assert.equal(ticket.status, 201)
    assert.notEqual(ticket.body.id, 'mine')
    const sample = await post('/api/samples', { name: 'x', id: 4711 })
    assert.notEqual(sample.body.id, 4711)
  })

  test('[P7] timestamps and soft-delete columns are not part of a derived schema', async ({
    assert,
  }) => {
    const then = '2001-01-01 00:00:00'
    const invoice = await post('/api/fixture-invoices', {
      number: '1',
      amount: 5,
      created_at: then,
      updated_at: then,
    })
    assert.notEqual(invoice.body.created_at, then)
    assert.notEqual(invoice.body.updated_at, then)
    const jotting = await post('/api/jottings-by-call', {
      title: 'x',
      is_removed: true,
      removed_at: then,
      changed_at: then,
      seen_at: then,
    })
    assert.deepInclude(jotting.body, {
      is_removed: false,
      removed_at: null,
      changed_at: null,
      seen_at: then,
    })
  })

  test('[P7] generated columns are not part of a derived schema', async ({ assert }) => {
    const values = { price: 3, weight: 1, double_price: 100 }
    const created = await post('/api/consignments', values)
    assert.equal(created.status, 201)
    assert.equal(created.body.double_price, 6)
    const response = await patch(`/api/consignments/${created.body.id}`, {
      double_price: 7,
      price: 4,
    })
    assert.equal(response.status, 200)
    const [row] = await db.from('consignments').where('id', created.body.id)
    assert.equal(row.double_price, 8)
  })

  test('[P7] an enum field accepts the values that the table allows', async ({ assert }) => {
    for (const state of ['open', 'paid']) {
      const response = await post('/api/fixture-invoices', { number: '1', amount: 5, state })
      assert.equal(response.status, 201)
    }
    const refused = await post('/api/fixture-invoices', { number: '1', amount: 5, state: 'lost' })
    assert.equal(refused.status, 422)
    assert.equal(refused.body.errors[0].rule, 'enum')
  })

  test('[P7, A8] uniqueness is checked by the table, not by the schema', async ({ assert }) => {
    await post('/api/countries', { code: 'a', name: 'x' })
    const response = await post('/api/countries', { code: 'b', name: 'x' })
    assert.equal(response.status, 409)
    assert.deepEqual(fieldsOf(response), ['name'])
  })
})
