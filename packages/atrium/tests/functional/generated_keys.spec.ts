import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LucidCrud, resources, ValueError } from '#crud'
import { Resource } from '#crud/internals'
import { newKey } from '#base/values/new_key'
import { Country, Receipt, Seat, Voucher } from '#tests/fixtures/keys'
import { insertRow, onMysql } from '#tests/helpers/databases'
import { get, post } from '#tests/helpers/http'

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/

test.group('Keys of new records', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    await db.from('vouchers').delete()
    await db.from('receipts').delete()
  })

  test('a create without a value for the key is a 422 that names the key')
    .with(['/api/vouchers', '/api/hooked-vouchers'])
    .run(async ({ assert }, path) => {
      const response = await post(path, { title: 'x' })
      assert.equal(response.status, 422)
      assert.equal(response.body.errors[0].field, 'id')
      assert.lengthOf(await db.from('vouchers'), 0)
    })

  test('create and createMany of LucidCrud store no record without a key', async ({ assert }) => {
    const vouchers = new LucidCrud(Voucher)
    const refused = (work: Promise<unknown>) => work.then(String, (error) => error.status)
    assert.equal(await refused(vouchers.create({ title: 'x' })), 422)
    assert.equal(await refused(vouchers.createMany([{ title: 'x' }, { title: 'y' }])), 422)
    assert.lengthOf(await db.from('vouchers'), 0)
  })

  test('[A9] saving a record without a key fails: {name}')
    .with([
      { name: 'create', save: () => Voucher.create({ title: 'x' }) },
      { name: 'null', save: () => Voucher.create({ id: null as any, title: 'x' }) },
      { name: 'createMany', save: () => Voucher.createMany([{ title: 'x' }]) },
      { name: 'quietly', save: () => Voucher.createQuietly({ title: 'x' }) },
      { name: 'firstOrCreate', save: () => Voucher.firstOrCreate({ title: 'x' }) },
      {
        name: 'save in a transaction',
        save: () =>
          db.transaction(async (client) => {
            await new Voucher().fill({ title: 'x' }).useTransaction(client).save()
          }),
      },
    ])
    .run(async ({ assert }, { save }) => {
      const error: any = await save().then(
        () => null,
        (one: unknown) => one
      )
      assert.instanceOf(error, Error)
      /* There the database refuses it by itself. */
      if (!onMysql) {
        assert.equal(error.status, 422, error.message)
        assert.equal(error.errors[0].field, 'id')
      }
      assert.lengthOf(await db.from('vouchers'), 0)
    })

  test('[A9] a record is saved with a key that is set, and with one from a hook or the database', async ({
    assert,
  }) => {
    const id = newKey('uuid4')
    await Voucher.create({ id, title: 'x' })
    assert.lengthOf(await db.from('vouchers').where('id', id), 1)
    await db.from('seats').delete()
    await Seat.create({ hall: 1, place: 'a', label: 'x' })
    assert.lengthOf(await db.from('seats'), 1)
    await assert.rejects(() => Seat.create({ hall: 1, label: 'x' }))
    assert.lengthOf(await db.from('seats'), 1)
    await db.from('seats').delete()
  })

  test('a key is generated as the model declares it', async ({ assert }) => {
    const cases = [
      ['/api/uuid7-vouchers', 'id', UUID7],
      ['/api/uuid4-vouchers', 'id', UUID4],
      ['/api/receipts', 'code', ULID],
    ] as const
    for (const [path, name, form] of cases) {
      const response = await post(path, { title: 'x' })
      assert.equal(response.status, 201)
      assert.match(response.body[name], form)
      assert.include(response.headers.get('location')!, response.body[name])
      const found = await get(`${path}/${response.body[name]}`)
      assert.equal(found.body[name], response.body[name])
    }
  })

  test('a key in the body is stored if the create schema contains the key', async ({ assert }) => {
    const id = newKey('uuid4')
    const response = await post('/api/uuid4-vouchers', { id, title: 'x' })
    assert.equal(response.body.id, id)
    const derived = await post('/api/uuid7-vouchers', { id: newKey('uuid4'), title: 'x' })
    assert.equal(derived.status, 201)
    assert.match(derived.body.id, UUID7)
  })

  test("a strategy of key generation that the column can't store is refused", async ({
    assert,
  }) => {
    const invalid = [
      { model: Seat, key: 'uuid7' as const },
      { model: Voucher, key: 'ulid' as const },
      { model: Country, key: 'uuid5' as any },
    ]
    for (const options of invalid) {
      await assert.rejects(() => new Resource(options).load(), ValueError)
    }
    assert.exists(resources.all().find(({ model }) => model === Receipt))
  })

  test('an empty API filter with the operator exact finds an empty text, and without an operator filters nothing', async ({
    assert,
  }) => {
    await db.table('receipts').multiInsert([
      { code: 'A', title: '' },
      { code: 'B', title: 'b' },
      { code: 'C', title: 'B' },
    ])
    const codesOf = async (query: string) => {
      const { body } = await get(`/api/receipts?${query}`)
      return body.data.map(({ code }: { code: string }) => code)
    }
    assert.deepEqual(await codesOf('title__exact='), ['A'])
    assert.deepEqual(await codesOf('title__exact=b'), ['B'])
    assert.deepEqual(await codesOf('title='), ['A', 'B', 'C'])
  })

  test('[A8] a 409 names the deleted record that has the value, to callers who can see it', async ({
    assert,
  }) => {
    await db.from('voided').delete()
    await db.table('voided').multiInsert([
      { code: 'gone', is_deleted: true },
      { code: 'here', is_deleted: false },
    ])
    const { id } = await db.from('voided').where('code', 'gone').firstOrFail()
    const problemOf = async (path: string, code: string) => {
      const { body, status } = await post(path, { code })
      assert.equal(status, 409)
      return [body.detail, body.deleted]
    }
    const plain = (code: string) => [`Value ${code} is already registered`, undefined]
    const named = [
      'Value gone is already registered, by a deleted item: restore that one, or delete it for good',
      { id },
    ]
    assert.deepEqual(await problemOf('/api/voided', 'gone'), named)
    assert.deepEqual(await problemOf('/api/voided', 'here'), plain('here'))
    assert.deepEqual(await problemOf('/api/voided-own', 'gone'), named)
    for (const path of ['unseen', 'others', 'refused', 'without-key']) {
      assert.deepEqual(await problemOf(`/api/voided-${path}`, 'gone'), plain('gone'))
    }
  })

  test('[A8] a 409 names the deleted record only to callers who can see all unique columns', async ({
    assert,
  }) => {
    await db.from('voided').delete()
    const id = await insertRow('voided', { code: 'gone', part: 7, is_deleted: true })
    const problemOf = async (path: string, pin: object) => {
      const { body, status } = await post(path, { code: 'new', part: 7, ...pin })
      assert.equal(status, 409)
      return body.deleted
    }
    assert.deepEqual(await problemOf('/api/voided-with-pin', { pin: 0 }), { id })
    assert.isUndefined(await problemOf('/api/voided', {}))
  })

  test('time-based keys increase, also those of the same millisecond', ({ assert }) => {
    for (const kind of ['uuid7', 'ulid'] as const) {
      const keys = Array.from({ length: 5000 }, () => newKey(kind))
      assert.deepEqual(keys, keys.toSorted())
      assert.equal(new Set(keys).size, keys.length)
    }
  })
})
