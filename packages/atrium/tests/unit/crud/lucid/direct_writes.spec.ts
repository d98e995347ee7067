import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { LucidCrud, observeWrites, type Write } from '#crud'
import { resources } from '#crud/resource/registry'
import { Sample } from '#tests/fixtures/samples'
import { onMysql, onPostgres, onSqlite } from '#tests/helpers/databases'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

const crud = new LucidCrud(Sample)

/** States that observers get during the work. */
async function told(work: () => Promise<unknown>): Promise<Write['after'][]> {
  const states: Write['after'][] = []
  const stop = observeWrites({
    record: async (writes) => void states.push(...writes.map(({ after }) => after)),
  })
  try {
    await work()
  } finally {
    stop()
  }
  return states
}

const moment = fc
  .date({ min: new Date('1000-01-01'), max: new Date('9999-12-30'), noInvalidDate: true })
  .map((date) => DateTime.fromJSDate(date, { zone: 'utc' }).startOf('second'))
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 4 })
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((one) => one.replaceAll('\0', ''))

const values = fc.record(
  {
    name: text,
    longText: maybe(text),
    count: maybe(fc.maxSafeInteger()),
    ratio: maybe(fc.integer({ min: -1e6, max: 1e6 }).map((number) => number / 8)),
    active: maybe(fc.boolean()),
    day: maybe(moment.map((one) => one.startOf('day'))),
    moment: maybe(moment),
    clock: maybe(fc.constant('12:34:56')),
    data: maybe(fc.constantFrom('{"a":[1,null]}', '"text"', '[]')),
    bytes: maybe(fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes))),
    status: fc.constantFrom('draft', 'sent', 'paid'),
  },
  { requiredKeys: ['name'] }
)

test.group('States after a write, without another read', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.setup(async () => {
    resources.track(crud.resource)
    if (onPostgres) await db.rawQuery('alter table samples disable trigger user')
  })
  /* The tests need a key counter that continues from given keys. */
  group.teardown(async () => {
    if (onPostgres) await db.rawQuery('alter table samples enable trigger user')
  })
  group.each.teardown(async () => void (await Sample.query().delete()))

  test('[A3, A5, E4] the item returned by a write, and the state that observers get, equal what a read returns', async ({
    assert,
  }) => {
    await fc.assert(
      fc.asyncProperty(values, values, async (created, updated) => {
        let id: unknown
        const [afterCreate] = await told(async () => {
          const item = await crud.create(created)
          id = item.id
          assert.deepEqual(item, await crud.get(id))
        })
        assert.deepInclude(await crud.get(id), afterCreate!)
        const [afterUpdate] = await told(async () => {
          const item = await crud.update(id, updated, { returning: true })
          assert.deepEqual(item, await crud.get(id))
        })
        if (afterUpdate) assert.deepInclude(await crud.get(id), afterUpdate)
      }),
      { numRuns: runs(60) }
    )
  })

  test('[A3, A5] no query reads the row again after the write', async ({ assert }) => {
    await crud.create({ name: 'first' })
    let id: unknown
    const queries = await queriesOf(async () => {
      const item = await crud.create({ name: 'one', createdAt: DateTime.utc() })
      id = item.id
    })
    const isSelect = (sql: string) => /^select/i.test(sql)
    assert.deepEqual(queries.filter(isSelect), [])
    const updating = await queriesOf(() => crud.update(id, { name: 'two' }, { returning: true }))
    /* That of the lock, which on PostgreSQL is a part of the update */
    assert.lengthOf(updating.filter(isSelect), onPostgres ? 0 : 1)
  }).skip(onMysql, 'MySQL does not tell what it wrote')

  test('[A3, E4] the returned item and the observed state contain changes by a trigger', async ({
    assert,
  }) => {
    await db.rawQuery(
      "create trigger sample_made after insert on samples begin update samples set code = 'made' where id = new.id; end"
    )
    await db.rawQuery(
      "create trigger sample_changed after update of name on samples begin update samples set code = 'changed' where id = new.id; end"
    )
    try {
      class Triggered extends Sample {
        static table = 'samples'
      }
      const fresh = new LucidCrud(Triggered)
      let id: unknown
      const item = await fresh.create({ name: 'x' })
      assert.equal(item.code, 'made')
      id = item.id
      const changed = await fresh.update(id, { name: 'y' }, { returning: true })
      assert.equal(changed!.code, 'changed')
    } finally {
      await db.rawQuery('drop trigger sample_made')
      await db.rawQuery('drop trigger sample_changed')
    }
  }).skip(!onSqlite, 'each database has triggers of its own kind')

  test('[A3, E4] the returned item contains changes by an after hook', async ({ assert }) => {
    for (const event of ['create', 'save'] as const) {
      class Hooked extends Sample {
        static table = 'samples'
      }
      Hooked.boot()
      Hooked.after(event, async (record) => {
        await record.$trx!.from('samples').where('id', record.id).update({ long_text: event })
      })
      const item = await new LucidCrud(Hooked).create({ name: 'x' })
      assert.equal(item.long_text, event)
    }
  })

  test('[A3] a value that is an SQL expression is written by knex', async ({ assert }) => {
    class Raw extends Sample {
      static table = 'samples'
    }
    Raw.boot()
    Raw.before('save', (record) => void (record.count = db.raw('1 + 2') as any))
    const raw = new LucidCrud(Raw)
    const item = await raw.create({ name: 'x' })
    assert.equal(item.count, 3)
    const changed = await raw.update(item.id, { name: 'y' }, { returning: true })
    assert.deepInclude(changed, { name: 'y', count: 3 })
  })

  test('[A3] a model that overrides $getQueryFor is written with its queries', async ({
    assert,
  }) => {
    const requested: string[] = []
    class Own extends Sample {
      static table = 'samples'

      $getQueryFor(action: any, client: any): any {
        requested.push(action)
        return super.$getQueryFor(action, client)
      }
    }
    const own = new LucidCrud(Own)
    const item = await own.create({ name: 'x' })
    await own.update(item.id, { name: 'y' })
    assert.deepEqual(requested, ['insert', 'update'])
  })

  test('[A3] a created record can be saved again after its transaction has ended', async ({
    assert,
  }) => {
    class Stored extends BaseModel {
      static table = 'samples'
      @column({ isPrimary: true })
      declare id: number

      @column()
      declare name: string

      @column()
      declare createdAt: string
    }
    let record: Stored | undefined
    Stored.boot()
    Stored.before('create', (one) => void (record = one as Stored))
    const stored = new LucidCrud(Stored)
    const item = await stored.create({ name: 'x', createdAt: '2026-01-01 00:00:00' })
    await record!.merge({ name: 'z' }).save()
    assert.include(await stored.get(item.id), { name: 'z' })
  })
})
