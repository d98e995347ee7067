import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import vine from '@vinejs/vine'
import fc from 'fast-check'
import { dialectOf } from '#base/database/dialects'
import { Reader } from '#crud/sql/reader'
import type { Selection } from '#crud/sql/select'
import { Resource } from '#crud/resource/resource'
import type { CrudOptions } from '#crud'
import {
  Reading,
  ReadingWithComputed,
  ReadingWithConsume,
  ReadingWithFetchHooks,
  ReadingWithFindHooks,
  ReadingWithSerialize,
} from '#tests/fixtures/crud'
import { Sample } from '#tests/fixtures/samples'
import { insertRow } from '#tests/helpers/databases'
import { runs } from '#tests/helpers/random_runs'

async function readerOf(model: LucidModel, options: CrudOptions = {}) {
  const resource = new Resource({ ...options, model })
  await resource.load()
  const reader = new Reader(resource)
  const dialect = dialectOf(db.connection())
  const byKey = (id: unknown) => ({ where: [resource.key.is([id], dialect)] })
  return {
    all: (selection: Partial<Selection> = {}) =>
      reader.items(db.connection(), { where: [], order: ['id'], ...selection }),
    one: (id: unknown) => reader.item(db.connection(), byKey(id)),
    count: (selection: Partial<Selection> = {}) =>
      reader.counts.all(db.connection(), { where: [], ...selection }),
    hydrated: async (id: unknown) => {
      const record = await reader.record(db.connection(), byKey(id))
      return reader.form.toItem(record!)
    },
  }
}

/** Number of instances of the class that the work creates. */
async function instancesOf(model: LucidModel, work: () => Promise<unknown>) {
  const create = model.$createFromAdapterResult
  let count = 0
  model.$createFromAdapterResult = function (...args: any[]) {
    count++
    return (create as any).apply(this, args)
  }
  try {
    await work()
  } finally {
    model.$createFromAdapterResult = create
  }
  return count
}

test.group('Reading items', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  let ids: number[] = []

  group.each.setup(async () => {
    await db.from('crud_readings').delete()
    ids = []
    for (const [index, name] of ['one', 'unfindable', 'unfetchable'].entries()) {
      const id = await insertRow('crud_readings', { name, amount: index + 1.5 })
      ids.push(id)
    }
  })

  test('[A2] rows become items by API names without model instances', async ({ assert }) => {
    const reader = await readerOf(Reading)
    const instances = await instancesOf(Reading, async () => {
      assert.deepEqual(await reader.one(ids[0]), { id: ids[0], name: 'one', amount: 1.5 })
      const all = await reader.all()
      assert.deepEqual(
        all.map((item) => item.name),
        ['one', 'unfindable', 'unfetchable']
      )
    })
    assert.equal(instances, 0)
    assert.isNull(await reader.one(0))
    assert.equal(await reader.count(), 3)
  })

  test('[A2] no item contains a hidden column', async ({ assert }) => {
    class WithSecret extends BaseModel {
      static table = 'crud_readings'
      @column({ isPrimary: true })
      declare id: number

      @column({ serializeAs: null })
      declare name: string

      @column({ serializeAs: 'howMuch' })
      declare amount: number
    }
    const reader = await readerOf(WithSecret)
    const item = { id: ids[0], howMuch: 1.5 }
    assert.deepEqual(await reader.one(ids[0]), item)
    assert.deepEqual(await reader.hydrated(ids[0]), item)
    const all = await reader.all()
    assert.deepEqual(all[0], item)
  })

  test('[A2] find hooks run when a single item is read, and not in a list', async ({ assert }) => {
    const reader = await readerOf(ReadingWithFindHooks)
    assert.deepInclude(await reader.one(ids[0]), { name: 'ONE' })
    assert.isNull(await reader.one(ids[1]))
    const all = await reader.all()
    assert.lengthOf(all, 3)
    assert.equal(all[0].name, 'one')
  })

  test('[A2] fetch hooks run when several records are read, and not when one is', async ({
    assert,
  }) => {
    const reader = await readerOf(ReadingWithFetchHooks)
    const all = await reader.all()
    assert.deepEqual(
      all.map((item) => item.name),
      ['ONE', 'UNFINDABLE']
    )
    assert.deepInclude(await reader.one(ids[2]), { name: 'unfetchable' })
  })

  test('[S2] the count of a list applies the conditions of its fetch hooks', async ({ assert }) => {
    class Ordered extends ReadingWithFetchHooks {
      static table = 'crud_readings'
    }
    Ordered.boot()
    Ordered.before('fetch', (query) => void query.select('name').orderBy('name'))
    for (const model of [ReadingWithFetchHooks, Ordered]) {
      const reader = await readerOf(model)
      assert.lengthOf(await reader.all(), 2)
      assert.equal(await reader.count(), 2)
    }
  })

  test('[A2] computed properties are part of items by their API names', async ({ assert }) => {
    const reader = await readerOf(ReadingWithComputed)
    const item = { id: ids[0], name: 'one', amount: 1.5, double: 3, label_text: 'one!' }
    assert.deepEqual(await reader.one(ids[0]), item)
    const all = await reader.all()
    assert.deepEqual(all[0], item)
  })

  test('[A2] selectSchema selects columns and computed properties', async ({ assert }) => {
    const fields = { name: vine.string(), double: vine.number() }
    const picked = await readerOf(ReadingWithComputed, { selectSchema: vine.object(fields) })
    assert.deepEqual(await picked.one(ids[0]), { name: 'one', double: 3 })
    const plain = await readerOf(Reading, { selectSchema: vine.object({ name: vine.string() }) })
    assert.deepEqual(await plain.one(ids[0]), { name: 'one' })
    const all = await plain.all()
    assert.deepEqual(all[0], { name: 'one' })
  })

  test('[A20] a column’s custom serialize determines the value in the item, and gets the arguments of Lucid', async ({
    assert,
  }) => {
    const reader = await readerOf(ReadingWithSerialize)
    const item = { id: ids[0], name: `name one of ${ids[0]}`, amount: '1.50' }
    assert.deepEqual(await reader.one(ids[0]), item)
    const all = await reader.all()
    assert.deepEqual(all[0], item)
  })

  test('[A2] a column’s custom consume determines the value in the item', async ({ assert }) => {
    const reader = await readerOf(ReadingWithConsume)
    assert.deepEqual(await reader.one(ids[0]), { id: ids[0], name: 'ONE', amount: 1.5 })
    const all = await reader.all()
    assert.equal(all[0].name, 'ONE')
  })

  test('[A2] a getter on a column determines the value in the item', async ({ assert }) => {
    class WithGetter extends BaseModel {
      static table = 'crud_readings'
      @column({ isPrimary: true })
      declare id: number

      @column()
      get name(): string {
        return `${this.$attributes.name}?`
      }

      set name(value: string) {
        this.$attributes.name = value
      }
    }
    const reader = await readerOf(WithGetter)
    assert.deepEqual(await reader.one(ids[0]), { id: ids[0], name: 'one?' })
  })

  test('[P14] a scope built with query builder methods restricts rows like a condition', async ({
    assert,
  }) => {
    const reader = await readerOf(Reading)
    const isOne = { where: [{ sql: 'amount < ?', bindings: [2] }] }
    const scope = (query: any) => query.where('name', 'one').orWhere('name', 'unfindable')
    const names = async (selection: Partial<Selection>) => {
      const items = await reader.all(selection)
      assert.equal(await reader.count(selection), items.length)
      return items.map((item) => item.name)
    }
    assert.deepEqual(await names({ scope }), ['one', 'unfindable'])
    assert.deepEqual(await names({ scope, ...isOne }), ['one'])
    assert.deepEqual(await names(isOne), ['one'])
    const last = { order: ['id desc'], offset: 1, limit: 1 }
    for (const selection of [last, { ...last, scope: () => {} }]) {
      const items = await reader.all(selection)
      assert.deepEqual(
        items.map((item) => item.name),
        ['unfindable']
      )
    }
  })

  test('[A2] items of a model with overridden query methods are read by these methods', async ({
    assert,
  }) => {
    class Narrowed extends Reading {
      static table = 'crud_readings'
      static query(...options: any[]) {
        return super.query(...options).where('name', 'one') as any
      }
    }
    const reader = await readerOf(Narrowed)
    assert.lengthOf(await reader.all(), 1)
    assert.equal(await reader.count(), 1)
    assert.isNull(await reader.one(ids[1]))
  })

  test('[A2] columns that have other names in the table are read in the same way with and without instances', async ({
    assert,
  }) => {
    class Renamed extends BaseModel {
      static table = 'crud_readings'
      @column({ isPrimary: true, columnName: 'id' })
      declare readingNumber: number

      @column({ columnName: 'name' })
      declare fullName: string
    }
    const reader = await readerOf(Renamed)
    const item = { reading_number: ids[0], full_name: 'one' }
    assert.deepEqual(await reader.one(ids[0]), item)
    assert.deepEqual(await reader.hydrated(ids[0]), item)
  })
})

test.group('Reading items with and without model instances', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => void (await db.from('samples').delete()))

  const two = (value: number) => String(value).padStart(2, '0')
  const day = fc
    .date({
      min: new Date('0001-01-01'),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString().slice(0, 10))
  const clock = fc
    .tuple(fc.nat(23), fc.nat(59), fc.nat(59))
    .map((parts) => parts.map(two).join(':'))
  const moment = fc
    .tuple(day, clock, fc.constantFrom('', '.000', '.123'))
    .map(([date, time, fraction]) => `${date} ${time}${fraction}`)
  /* A grapheme may be several characters for the database. */
  const text = (most: number) =>
    fc
      .string({ unit: 'grapheme', maxLength: most / 2 })
      .filter((one) => !one.includes('\0') && [...one].length <= most)
  const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null })

  const rows = fc.record({
    name: text(20),
    long_text: orNull(text(40)),
    count: orNull(fc.integer()),
    big: orNull(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
    ratio: orNull(
      fc.oneof(
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(0, -0, 0.1, 1e21, -1.5e-7)
      )
    ),
    active: orNull(fc.constantFrom(0, 1)),
    day: orNull(day),
    moment: orNull(moment),
    plain_moment: orNull(moment),
    clock: orNull(clock),
    data: orNull(fc.json()),
    bytes: orNull(fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes))),
    token: orNull(fc.uuid()),
    status: fc.constantFrom('draft', 'sent', 'paid'),
    code: orNull(text(10)),
    secret: orNull(text(40)),
    created_at: moment,
    updated_at: orNull(moment),
  })

  test('[A20] rows read without model instances have the same values as with them', async ({
    assert,
  }) => {
    const reader = await readerOf(Sample)
    await fc.assert(
      fc.asyncProperty(rows, async (row) => {
        await db.from('samples').delete()
        const id = await insertRow('samples', row)
        const hydrated = await reader.hydrated(id)
        const single = await reader.one(id)
        assert.deepEqual(single, hydrated)
        assert.deepEqual(Object.keys(single!), Object.keys(hydrated))
        assert.deepEqual(await reader.all(), [hydrated])
        assert.deepEqual(JSON.parse(JSON.stringify(single)), JSON.parse(JSON.stringify(hydrated)))
      }),
      { numRuns: runs(150) }
    )
  }).timeout(30_000)

  test('[A20] values of every type have their API format', async ({ assert }) => {
    const reader = await readerOf(Sample)
    const id = await insertRow('samples', {
      name: 'one',
      count: 3,
      big: '9007199254740993',
      ratio: 1.25,
      active: 0,
      day: '2024-02-29',
      moment: '2024-02-29 10:11:12',
      plain_moment: '2024-02-29 10:11:12.345',
      clock: '10:11:12',
      data: '{"a":[1,null]}',
      bytes: Buffer.from('hello'),
      token: '0b7f3a52-97a4-4c5e-8c5d-0d8ad1f8a3b1',
      status: 'sent',
      secret: 'unseen',
      created_at: '2024-01-01 00:00:00',
    })
    const item = {
      id,
      name: 'one',
      long_text: null,
      count: 3,
      big: '9007199254740993',
      ratio: 1.25,
      active: false,
      day: '2024-02-29',
      moment: '2024-02-29 10:11:12',
      plain_moment: '2024-02-29 10:11:12',
      clock: '10:11:12',
      data: { a: [1, null] },
      bytes: 'aGVsbG8=',
      token: '0b7f3a52-97a4-4c5e-8c5d-0d8ad1f8a3b1',
      status: 'sent',
      code: null,
      created_at: '2024-01-01 00:00:00',
      updated_at: null,
    }
    assert.deepEqual(await reader.one(id), item)
    assert.deepEqual(await reader.hydrated(id), item)
  })
})
