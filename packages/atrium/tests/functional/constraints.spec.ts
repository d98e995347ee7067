import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { del, get, patch, post } from '#tests/helpers/http'
import { onSqlite } from '#tests/helpers/databases'

const fieldsOf = (response: { body: any }) => response.body.errors.map((error: any) => error.field)
const rulesOf = (response: { body: any }) => response.body.errors.map((error: any) => error.rule)

const UTENSIL = { name: 'Lamp', description: '', category: '', price: 1 }

const TABLES = [
  'reels',
  'lenders',
  'volumes',
  'shelves',
  'labels',
  'fixture_invoices',
  'samples',
  'utensils',
  'jottings',
  'member_accounts',
  'seats',
]

test.group('Unique values', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    for (const table of TABLES) await db.from(table).delete()
  })

  test('[A8] a duplicate value is a 409 on create that names value and field', async ({
    assert,
  }) => {
    await post('/api/samples', { name: 'a', code: 'c1' })
    const response = await post('/api/samples', { name: 'b', code: 'c1' })
    assert.equal(response.status, 409)
    assert.deepEqual(response.body, {
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'Value c1 is already registered',
      errors: [
        {
          field: 'code',
          rule: 'unique',
          message: 'The code field has a value that is already registered',
        },
      ],
    })
    assert.lengthOf(await db.from('samples'), 1)
  })

  test('[A8] a duplicate value is a 409 on update, and nothing changes', async ({ assert }) => {
    await post('/api/samples', { name: 'a', code: 'c1' })
    const { body } = await post('/api/samples', { name: 'b', code: 'c2' })
    const rows = await db.from('samples')
    const response = await patch(`/api/samples/${body.id}`, { name: 'changed', code: 'c1' })
    assert.equal(response.status, 409)
    assert.equal(response.body.detail, 'Value c1 is already registered')
    assert.deepEqual(fieldsOf(response), ['code'])
    assert.deepEqual(await db.from('samples'), rows)
    const own = await patch(`/api/samples/${body.id}`, { code: 'c2' })
    assert.equal(own.status, 200)
  })

  test('[A8, A18] texts that differ only in case, accents or spaces are not duplicates', async ({
    assert,
  }) => {
    for (const code of ['a', 'A', 'á', 'a ', ' a', 'ä', 'ß', 'ss', 'ẞ']) {
      const { status, text } = await post('/api/samples', { name: 'x', code })
      assert.equal(status, 201, `${code}: ${text}`)
    }
    const again = await post('/api/samples', { name: 'x', code: 'á' })
    assert.equal(again.status, 409)
  })

  test('[A8] of several concurrent creates with the same value, one is 201 and the others are 409', async ({
    assert,
  }) => {
    for (let round = 0; round < 5; round++) {
      const responses = await Promise.all(
        [1, 2, 3].map(() => post('/api/samples', { name: 'a', code: `race${round}` }))
      )
      assert.deepEqual(responses.map((response) => response.status).sort(), [201, 409, 409])
    }
    assert.lengthOf(await db.from('samples'), 5)
  })

  test('[A8] of several concurrent updates to the same value, one is 200 and the others are 409', async ({
    assert,
  }) => {
    const items = await Promise.all(['a', 'b'].map((name) => post('/api/samples', { name })))
    const responses = await Promise.all(
      items.map(({ body }) => patch(`/api/samples/${body.id}`, { code: 'same' }))
    )
    assert.deepEqual(responses.map((response) => response.status).sort(), [200, 409])
  })

  test('[A8] a duplicate of a unique index over two columns names both', async ({ assert }) => {
    await post('/api/fixture-invoices', { number: '7', amount: 1, state: 'paid' })
    const response = await post('/api/fixture-invoices', { number: '7', amount: 2, state: 'paid' })
    assert.equal(response.status, 409)
    assert.equal(response.body.detail, 'Value 7, paid is already registered')
    assert.sameMembers(fieldsOf(response), ['number', 'state'])
    const other = await post('/api/fixture-invoices', { number: '7', amount: 2 })
    assert.equal(other.status, 201)
    const moved = await patch(`/api/fixture-invoices/${other.body.id}`, { state: 'paid' })
    assert.equal(moved.status, 409)
    assert.sameMembers(fieldsOf(moved), ['number', 'state'])
  })

  test('[A8] a duplicate of a key is a 409', async ({ assert }) => {
    await post('/api/labels', { word: 'a' })
    const response = await post('/api/labels', { word: 'a' })
    assert.equal(response.status, 409)
    assert.equal(response.body.detail, 'Value a is already registered')
  })

  test('[A8] the message about a duplicate never contains a hidden value', async ({ assert }) => {
    await post('/api/samples-by-hand', { name: 'a', secret: 'hush-hush' })
    const other = await post('/api/samples-by-hand', { name: 'c' })
    const created = await post('/api/samples-by-hand', { name: 'b', secret: 'hush-hush' })
    const updated = await patch(`/api/samples-by-hand/${other.body.id}`, { secret: 'hush-hush' })
    const tooLong = await post('/api/samples-by-hand', { name: 'b', secret: 'hush-hush'.repeat(9) })
    const wrong = await post('/api/samples-by-hand', { name: 'b', secret: ['hush-hush'] })
    for (const response of [created, updated]) {
      assert.equal(response.status, 409)
      assert.equal(response.body.detail, 'Value is already registered')
      assert.deepEqual(fieldsOf(response), ['secret'])
    }
    for (const response of [created, updated, tooLong, wrong, other]) {
      assert.notInclude(response.text, 'hush')
    }
    assert.equal(tooLong.status, 422)
    assert.equal(wrong.status, 422)
  })

  test('[A8] a soft-deleted row still occupies its unique values', async ({ assert }) => {
    const { body } = await post('/api/utensils', { ...UTENSIL, sku: 'A-1' })
    await del(`/api/utensils/${body.id}`)
    const response = await post('/api/utensils', { ...UTENSIL, sku: 'A-1' })
    assert.equal(response.status, 409)
    assert.equal(
      response.body.detail,
      'Value A-1 is already registered, by a deleted item: restore that one, or delete it for good'
    )
    await del(`/api/utensils/db_delete/${body.id}`)
    const again = await post('/api/utensils', { ...UTENSIL, sku: 'A-1' })
    assert.equal(again.status, 201)
  })

  test('[A8] the message about a duplicate contains the value that the CRUD object derived from the body', async ({
    assert,
  }) => {
    const account = { email: 'a@example.org', password: 'long enough' }
    await post('/api/member-accounts', account)
    const response = await post('/api/member-accounts', account)
    assert.equal(response.status, 409)
    assert.equal(response.body.detail, 'Value a@example.org is already registered')
    assert.notInclude(response.text, 'long enough')
  })
})

test.group('References to other records', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    for (const table of TABLES) await db.from(table).delete()
  })

  test('[A8] a reference to a missing record is a 409 on create that names the field', async ({
    assert,
  }) => {
    const { body } = await post('/api/shelves', { code: 'A' })
    const response = await post('/api/volumes', { title: 'x', shelf_id: 4711, shelf_code: 'A' })
    assert.equal(response.status, 409)
    assert.deepEqual(response.body.errors, [
      {
        field: 'shelf_id',
        rule: 'foreign_key',
        message: 'The shelf_id field refers to an item that does not exist',
      },
    ])
    const both = await post('/api/volumes', { title: 'x', shelf_id: 4711, shelf_code: 'Z' })
    assert.sameMembers(fieldsOf(both), ['shelf_id', 'shelf_code'])
    const code = await post('/api/volumes', { title: 'x', shelf_id: body.id, shelf_code: 'Z' })
    assert.deepEqual(fieldsOf(code), ['shelf_code'])
    assert.lengthOf(await db.from('volumes'), 0)
  })

  test('[A8] a reference to a missing record is a 409 on update that names the field', async ({
    assert,
  }) => {
    const shelf = await post('/api/shelves', { code: 'A' })
    const { body } = await post('/api/volumes', { title: 'x', shelf_id: shelf.body.id })
    const response = await patch(`/api/volumes/${body.id}`, { title: 'y', shelf_id: 4711 })
    assert.equal(response.status, 409)
    assert.deepEqual(fieldsOf(response), ['shelf_id'])
    const [row] = await db.from('volumes')
    assert.deepInclude(row, { title: 'x', shelf_id: shelf.body.id })
  })

  test('[A8] an error of a reference of two columns names both, even if only one was sent', async ({
    assert,
  }) => {
    await db.table('seats').insert({ hall: 1, place: 'a', label: 'x' })
    const response = await post('/api/volumes', { title: 'x', hall: 1, place: 'b' })
    assert.equal(response.status, 409)
    assert.sameMembers(fieldsOf(response), ['hall', 'place'])
    const { body } = await post('/api/volumes', { title: 'x', hall: 1, place: 'a' })
    const changed = await patch(`/api/volumes/${body.id}`, { place: 'b' })
    assert.equal(changed.status, 409)
    assert.sameMembers(fieldsOf(changed), ['hall', 'place'])
  })

  test('[A8] a foreign key without a target column refers to the key of the other table', async ({
    assert,
  }) => {
    const response = await post('/api/labels', { word: 'a', parent: 'nobody' })
    assert.equal(response.status, 409)
    assert.deepEqual(fieldsOf(response), ['parent'])
    await post('/api/labels', { word: 'top' })
    const fine = await post('/api/labels', { word: 'a', parent: 'top' })
    assert.equal(fine.status, 201)
  })

  test('[A8] deleting a referenced record is 409, and nothing is removed', async ({ assert }) => {
    const { body } = await post('/api/shelves', { code: 'A' })
    const volume = await post('/api/volumes', { title: 'x', shelf_id: body.id })
    for (const path of [`/api/shelves/${body.id}`, `/api/shelves/db_delete/${body.id}`]) {
      const response = await del(path)
      assert.equal(response.status, 409)
      assert.equal(response.body.detail, 'Other items still refer to this one')
    }
    assert.lengthOf(await db.from('shelves'), 1)
    await del(`/api/volumes/${volume.body.id}`)
    const response = await del(`/api/shelves/${body.id}`)
    assert.equal(response.status, 200)
  })

  test('[A8] a deletion that an explicit ON DELETE RESTRICT refuses is a 409, too', async ({
    assert,
  }) => {
    const { body } = await post('/api/lenders', { name: 'Arthaus' })
    await post('/api/reels', { title: 'Playtime', lender_id: body.id })
    const response = await del(`/api/lenders/${body.id}`)
    assert.equal(response.status, 409)
    assert.equal(response.body.detail, 'Other items still refer to this one')
    assert.lengthOf(await db.from('lenders'), 1)
  })

  test('[A8] changing a referenced value is 409', async ({ assert }) => {
    const { body } = await post('/api/shelves', { code: 'A' })
    await post('/api/volumes', { title: 'x', shelf_code: 'A' })
    const response = await patch(`/api/shelves/${body.id}`, { code: 'B' })
    assert.equal(response.status, 409)
    assert.equal(response.body.detail, 'Other items still refer to this one')

    await post('/api/labels', { word: 'top' })
    const child = await post('/api/labels', { word: 'child', parent: 'top' })
    assert.equal(child.status, 201)
    const top = await del('/api/labels/top')
    assert.equal(top.status, 409)
  })

  test('[A4] messages about constraints contain no constraint, table or SQL', async ({
    assert,
  }) => {
    await post('/api/samples', { name: 'a', code: 'c1' })
    const { body } = await post('/api/shelves', { code: 'A' })
    await post('/api/volumes', { title: 'x', shelf_id: body.id })
    const responses = await Promise.all([
      post('/api/samples', { name: 'b', code: 'c1' }),
      post('/api/volumes', { title: 'x', shelf_id: 0 }),
      del(`/api/shelves/${body.id}`),
      post('/api/fixture-invoices', { number: '1', amount: 13 }),
      post('/api/lax-invoices', {}),
    ])
    for (const response of responses) {
      assert.oneOf(response.status, [409, 422])
      assert.notMatch(
        response.text,
        /sqlite|constraint|insert|select|volumes|shelves|samples_|fixture_invoices|bad_luck|\.ts/i
      )
    }
  })
})

test.group('Constraints of the table', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    for (const table of TABLES) await db.from(table).delete()
  })

  test('[A8] null for a NOT NULL column is 422, on create and on update', async ({ assert }) => {
    const created = await post('/api/lax-invoices', { number: '1', amount: null })
    assert.equal(created.status, 422)
    assert.deepEqual(created.body.errors, [
      { field: 'amount', rule: 'nullable', message: 'The amount field must not be null' },
    ])
    const { body } = await post('/api/lax-invoices', { number: '1', amount: 1 })
    const updated = await patch(`/api/lax-invoices/${body.id}`, { amount: null })
    assert.equal(updated.status, 422)
    assert.deepEqual(fieldsOf(updated), ['amount'])
  })

  test('[A8] a missing value without which the table accepts no row is a 422', async ({
    assert,
  }) => {
    const response = await post('/api/lax-invoices', { number: '1' })
    assert.equal(response.status, 422)
    assert.deepEqual(response.body.errors, [
      { field: 'amount', rule: 'not_null', message: 'The amount field must not be null' },
    ])
  })

  test('[A8] a failed check constraint is a 422, and names the field if the database does', async ({
    assert,
  }) => {
    const enumeration = await post('/api/lax-invoices', { number: '1', amount: 1, state: 'lost' })
    assert.equal(enumeration.status, 422)
    assert.deepEqual(enumeration.body.errors, [
      { field: 'state', rule: 'check', message: 'The state field has a value that is not allowed' },
    ])
    const positive = await post('/api/fixture-invoices', { number: '1', amount: 0 })
    assert.deepEqual(fieldsOf(positive), ['amount'])
    const compared = await post('/api/fixture-invoices', { number: '1', amount: 1, discount: 2 })
    assert.equal(compared.status, 422)
    assert.include(fieldsOf(compared), 'discount')
    const named = await post('/api/fixture-invoices', { number: '1', amount: 13 })
    assert.equal(named.status, 422)
    assert.deepEqual(fieldsOf(named), onSqlite ? [] : ['amount'])
    assert.lengthOf(await db.from('fixture_invoices'), 0)
  })

  test('[A8] a failed check constraint is a 422 on update, and nothing changes', async ({
    assert,
  }) => {
    const { body } = await post('/api/fixture-invoices', { number: '1', amount: 5 })
    const rows = await db.from('fixture_invoices')
    const response = await patch(`/api/fixture-invoices/${body.id}`, { amount: -5 })
    assert.equal(response.status, 422)
    assert.deepEqual(rulesOf(response), ['check'])
    assert.deepEqual(await db.from('fixture_invoices'), rows)
  })

  test('[A8] a text that is too long is 422, whether schema or table set the limit', async ({
    assert,
  }) => {
    for (const path of ['/api/fixture-invoices', '/api/lax-invoices']) {
      const fits = await post(path, { number: '1234567890', amount: 1, discount: 0 })
      assert.equal(fits.status, 201)
      await db.from('fixture_invoices').delete()
      const response = await post(path, { number: '12345678901', amount: 1 })
      assert.equal(response.status, 422)
      assert.deepEqual(response.body.errors, [
        {
          field: 'number',
          rule: 'maxLength',
          message: 'The number field must not be greater than 10 characters',
        },
      ])
    }
  })

  test('[A8] the length of a text counts characters, not UTF-16 units', async ({ assert }) => {
    const fits = await post('/api/samples', { name: 'a', code: '😀'.repeat(10) })
    assert.equal(fits.status, 201)
    const read = await get(`/api/samples/${fits.body.id}`)
    assert.equal(read.body.code, '😀'.repeat(10))
    const response = await post('/api/samples', { name: 'a', code: '😀'.repeat(11) })
    assert.equal(response.status, 422)
  })

  test('[A8] an integer out of range is a 422', async ({ assert }) => {
    const response = await post('/api/lax-invoices', { number: '1', amount: '9223372036854775808' })
    assert.equal(response.status, 422)
    assert.deepEqual(fieldsOf(response), ['amount'])
  })

  test('[A8] a decimal with too many digits is 422 and names the field', async ({ assert }) => {
    for (const weight of [1e9, -1e9, 999_999_999.9996]) {
      const response = await post('/api/specimens', { label: 'heavy', weight })
      assert.equal(response.status, 422)
      assert.deepEqual(fieldsOf(response), ['weight'])
      assert.deepEqual(rulesOf(response), ['range'])
      assert.include(response.body.errors[0].message, 'between -999999999.999 and 999999999.999')
    }
    for (const weight of [999_999_999.999, -999_999_999.999]) {
      const response = await post('/api/specimens', { label: 'heavy', weight })
      assert.equal(response.status, 201)
    }
    await db.from('specimens').where('label', 'heavy').delete()
  }).skip(onSqlite, 'its decimals have no limit')

  test('[A8] NUL and invalid characters are a 422 in any field', async ({ assert }) => {
    const bodies = [
      { name: 'a\0b' },
      { name: 'a', long_text: '\0' },
      { name: 'a', status: 'draft\0' },
      { name: 'a', data: { deep: ['x\0'] } },
      { name: 'a', data: { 'k\0': 1 } },
      { name: 'a', code: '\ud800' },
    ]
    for (const path of ['/api/samples', '/api/samples-by-hand']) {
      for (const body of bodies) {
        const response = await post(path, body)
        assert.equal(response.status, 422)
        assert.deepEqual(fieldsOf(response), [Object.keys(body).at(-1)])
        assert.deepEqual(rulesOf(response), ['text'])
      }
    }
    const virtual = await post('/api/member-accounts', {
      email: 'a@b.org',
      password: 'x'.repeat(8) + '\0',
    })
    assert.deepEqual(fieldsOf(virtual), ['password'])
    assert.lengthOf(await db.from('samples'), 0)
  })
})
