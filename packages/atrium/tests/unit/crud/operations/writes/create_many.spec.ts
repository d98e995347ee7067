import { test } from '@japa/runner'
import { afterCreate, BaseModel, beforeCreate, beforeSave, column } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel } from '@adonisjs/lucid/types/model'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { LucidCrud, observeWrites, type Write } from '#crud'
import { dialectOf } from '#base/database/dialects'
import { reversalOf } from '#crud/events/reversal'
import { PlainChild } from '#tests/fixtures/events'
import { Note } from '#tests/fixtures/crud'
import { Sample } from '#tests/fixtures/samples'
import { strange } from '#tests/helpers/actors'
import { onMysql, onPostgres } from '#tests/helpers/databases'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

const actor = strange({ kind: 'admin', user: { id: 1 } })

type Values = Record<string, unknown>

/** All results of a write: the row, and what the observers receive. Keys and the time of the write differ. */
async function left(work: (all: Values[]) => Promise<unknown>, all: Values[]) {
  const told: Write[] = []
  const stop = observeWrites({
    async record(writes) {
      told.push(...writes)
    },
  })
  try {
    await db.from('samples').delete()
    await work(all)
  } finally {
    stop()
  }
  const own = ({ id: _id, created_at: _createdAt, ...values }: Values) => values
  const rows = await db.from('samples').orderBy('id')
  const writes = told.toSorted((one, other) => Number(one.key[0]) - Number(other.key[0]))
  return {
    rows: rows.map(own),
    stamps: rows.map(({ created_at: createdAt }) => typeof createdAt),
    writes: writes.map((write) => ({
      kind: write.kind,
      actor: write.actor,
      isRow: Number(write.key[0]) === Number(rows[writes.indexOf(write)].id),
      before: write.before,
      after: own(write.after!),
      changes: own(write.changes),
      reversal: { ...reversalOf(write.resource, write.rows), left: undefined },
      row: own(write.rows.after!),
      isDigested: reversalOf(write.resource, write.rows).left !== null,
    })),
  }
}

const text = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((one) => !one.includes('\0'))
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const moment = fc
  .date({ min: new Date('1971-01-01'), max: new Date('2037-01-01'), noInvalidDate: true })
  .map((date) => DateTime.fromJSDate(date, { zone: 'utc' }).startOf('second'))
const sample = fc.record(
  {
    name: text,
    longText: maybe(text),
    count: maybe(fc.integer()),
    big: maybe(fc.constantFrom('9007199254740993', '-1', 5)),
    ratio: maybe(fc.integer({ min: -1000, max: 1000 }).map((one) => one / 8)),
    active: maybe(fc.boolean()),
    day: maybe(moment.map((one) => one.startOf('day'))),
    moment: maybe(moment),
    clock: maybe(fc.constantFrom('00:00:00', '23:59:59')),
    data: maybe(fc.constantFrom('{"a": [1, null]}', '[]', '"text"')),
    bytes: maybe(fc.uint8Array({ maxLength: 4 }).map((one) => Buffer.from(one))),
    status: fc.constantFrom('draft', 'sent'),
    secret: fc.constant(null),
  },
  { requiredKeys: ['name'] }
)

test.group('Creating many records in one statement', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.setup(async () => {
    await switchTriggers('disable')
    return () => switchTriggers('enable')
  })
  group.each.setup(async () => void (await db.from('samples').delete()))
  const samples = new LucidCrud(Sample)

  test('[D3, D6, E3] rows, states, changes and undo data equal those of single creates', async ({
    assert,
  }) => {
    const rows = fc.array(sample, { minLength: 1, maxLength: 120 })
    const property = fc.asyncProperty(rows, async (all) => {
      const single = await left(async (values) => {
        /* Records are attached to a record, even none of them. */
        for (const one of values) await samples.create(one, { actor, related: new Map() })
      }, all)
      const together = await left(
        (values) => db.transaction((client) => samples.createMany(values, { client, actor })),
        all
      )
      assert.deepEqual(together, single)
    })
    await fc.assert(property, { numRuns: runs(8) })
  })

  test('[D6, E1] a listener gets the record with the values that the database generated', async ({
    assert,
    cleanup,
  }) => {
    let record: Sample | undefined
    cleanup(
      observeWrites({
        async record([write]) {
          record = write.record as Sample
        },
      })
    )
    await db.transaction((client) => samples.createMany([{ name: 'a' }], { client, actor }))
    assert.deepInclude(record?.$attributes, { name: 'a', status: 'draft', count: null })
    assert.isTrue(record?.createdAt.isValid)
    assert.isTrue(record?.$isPersisted)
  }).skip(onMysql, 'MariaDB stores each by itself')

  test('[D6, P8] an error fails all creates, and is the same error as that of a single create', async ({
    assert,
  }) => {
    const all = [{ name: 'a' }, { name: 'b', code: 'same' }, { name: 'c', code: 'same' }]
    await db.transaction(async (client) => {
      const work = client.transaction((part) => samples.createMany(all, { client: part, actor }))
      const error: any = await work.then(
        () => null,
        (invalid) => invalid
      )
      assert.equal(error?.status, 409)
      assert.lengthOf(await client.from('samples'), 0)
    })
  })

  test('[D6, P8] if application code could observe or change the records, they are created one by one', async ({
    assert,
  }) => {
    for (const model of [Hooked, Told, Saved, WithSetter, Prepared, Begun, OwnSave, PlainChild]) {
      assert.isFalse(await createdTogether(new LucidCrud<LucidModel>(model)), model.name)
    }
    assert.isFalse(
      await createdTogether(
        new (class extends LucidCrud {
          override afterCreate() {}
        })(Bare)
      )
    )
    assert.isFalse(
      await createdTogether(
        new (class extends LucidCrud {
          override prepareCreate(values: Values) {
            return values
          }
        })(Bare)
      )
    )
    assert.isFalse(await createdTogether(new LucidCrud<LucidModel>(Note)), 'a policy or a scope')
    assert.equal(await createdTogether(new LucidCrud<LucidModel>(Bare)), !onMysql)
    assert.isFalse(
      await createdTogether(new LucidCrud<LucidModel>(Bare), db.raw("lower('A')")),
      'an expression'
    )
    assert.equal(dialectOf(db.connection()).returnsWrittenRows, !onMysql)
  })
})

/** Those of the tests' own, on PostgreSQL: with a trigger, each record is created by itself. */
async function switchTriggers(word: 'disable' | 'enable') {
  if (!onPostgres) return
  for (const table of ['samples', 'event_plains', 'crud_notes']) {
    await db.rawQuery(`alter table ${table} ${word} trigger user`)
  }
}

/** True if two rows are inserted by one statement. */
async function createdTogether(crud: LucidCrud<any>, name: unknown = 'a'): Promise<boolean> {
  const all = Array.from({ length: 2 }, () => ({ name, value: 1 }))
  const work = async (client: TransactionClientContract) => {
    await crud.createMany(all, { client })
    throw new Error('undone')
  }
  /* Some of the models refuse the values. */
  const queries = await queriesOf(() => db.transaction(work).catch(() => {}))
  const inserts = queries.filter(
    (sql) => /^insert /i.test(sql) && sql.includes(crud.resource.table)
  )
  return inserts.length === 1 && inserts[0].includes('), (')
}

class Bare extends BaseModel {
  static table = 'event_plains'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare value: number
}

class Hooked extends Bare {
  static override table = 'event_plains'

  @beforeCreate()
  static note() {}
}

class Told extends Bare {
  static override table = 'event_plains'

  @afterCreate()
  static note() {}
}

class Saved extends Bare {
  static override table = 'event_plains'

  @beforeSave()
  static note() {}
}

class WithSetter extends BaseModel {
  static override table = 'event_plains'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare value: number

  @column()
  set name(value: string) {
    this.$setAttribute('name', value.trim())
  }
}

class Prepared extends Bare {
  static override table = 'event_plains'

  @column({ prepare: (value) => `${value}!` })
  declare name: string
}

class Begun extends Bare {
  static override table = 'event_plains'

  @column()
  value = 5
}

class OwnSave extends Bare {
  static override table = 'event_plains'

  override async save() {
    return await super.save()
  }
}
