import { test } from '@japa/runner'
import { beforeUpdate } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { LucidCrud, observeWrites, type Write } from '#crud'
import { reversalOf } from '#crud/events/reversal'
import { omit } from '#crud/operations/writes/written_fields'
import { Note } from '#tests/fixtures/crud'
import { Sample } from '#tests/fixtures/samples'
import { strange } from '#tests/helpers/actors'
import { onSqlite } from '#tests/helpers/databases'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

type Values = Record<string, unknown>
type Change = { key: [number]; values: Values }

const actor = strange({ kind: 'admin', user: { id: 1 } })
const samples = new LucidCrud(Sample)
/* Records are attached to a record, even none of them. */
const byRecord = { actor, related: new Map() }

const text = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((one) => !one.includes('\0'))
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const plain = {
  name: fc.constantFrom('a', 'b'),
  longText: maybe(text),
  count: maybe(fc.constantFrom(0, 1)),
  ratio: maybe(fc.integer({ min: -1000, max: 1000 }).map((one) => one / 8)),
  active: maybe(fc.boolean()),
}
const moment = fc.constant(DateTime.fromISO('2026-02-03T04:05:06Z', { zone: 'utc' }))
const bytes = fc.uint8Array({ maxLength: 4 }).map((one) => Buffer.from(one))
const values = fc.oneof(
  fc.record({ name: plain.name, count: plain.count }, { requiredKeys: [] }),
  fc.record(plain, { requiredKeys: [] }),
  fc.record({ ...plain, moment: maybe(moment), bytes: maybe(bytes) }, { requiredKeys: [] })
)

/** The rows that changes leave, and what the observers receive; the time of the write differs. */
async function left(all: readonly Values[], work: (changes: Change[]) => Promise<unknown>) {
  await db.from('samples').delete()
  const changes: Change[] = []
  for (const one of all) {
    const { id } = await Sample.create({ name: 'a', count: 1 })
    changes.push({ key: [id], values: one })
  }
  const told: Write[] = []
  const stop = observeWrites({
    async record(writes) {
      told.push(...writes)
    },
  })
  try {
    await work(changes)
  } finally {
    stop()
  }
  const rows = await db.from('samples').orderBy('id')
  const ids = rows.map(({ id }) => id)
  const own = (one: Values | null | undefined) => {
    const rest = omit(one!, ['id', 'created_at', 'updated_at'])
    return { ...rest, isUpdated: one!.updated_at !== null }
  }
  return {
    rows: rows.map(own),
    writes: told.map((write) => ({
      record: ids.indexOf(write.key[0]),
      kind: write.kind,
      actor: write.actor,
      before: own(write.before),
      after: own(write.after),
      changes: own(write.changes),
      previous: omit(reversalOf(write.resource, write.rows).before!, ['updated_at']),
      row: own(write.rows.after),
    })),
  }
}

test.group('Updating many records in one statement', (group) => {
  group.each.setup(async () => void (await db.from('samples').delete()))

  test('[L9, E3] rows, states, changes and undo data equal those of single updates', async ({
    assert,
  }) => {
    const property = fc.asyncProperty(
      fc.array(values, { minLength: 1, maxLength: 12 }),
      async (all) => {
        const single = await left(all, async (changes) => {
          for (const one of changes) await samples.update(one.key, one.values, byRecord)
        })
        const together = await left(all, (changes) =>
          db.transaction(async (client) => {
            assert.equal(await samples.updateTogether(changes, { client, actor }), onSqlite)
            if (onSqlite) return
            for (const one of changes) {
              await samples.update(one.key, one.values, { actor, client })
            }
          })
        )
        assert.deepEqual(together, single)
      }
    )
    await fc.assert(property, { numRuns: runs(30) })
  }).tags(['@dialect', '@driver'])

  test('[L9] equal values are written to many records by a single statement', async ({
    assert,
  }) => {
    const all = Array.from({ length: 150 }, () => ({ name: 'b' }))
    let queries: string[] = []
    await left(all, async (changes) => {
      queries = await queriesOf(() =>
        db.transaction((client) => samples.updateTogether(changes, { client, actor }))
      )
    })
    const names = queries.map((sql) => sql.split(' ')[0].toLowerCase())
    assert.lengthOf(
      names.filter((name) => name === 'update'),
      1
    )
  }).skip(!onSqlite, 'Databases that lock rows do so one after the other')

  test('[L9, P8] an error of one record fails all updates', async ({ assert }) => {
    const failed = async (changes: Change[]): Promise<any> =>
      await db
        .transaction((client) => samples.updateTogether(changes, { client, actor }))
        .then(
          () => null,
          (error) => error
        )
    const [{ id }, other] = await Sample.createMany([{ name: 'a' }, { name: 'a', code: 'taken' }])
    const named = { name: 'b' }
    const missing = await failed([
      { key: [id], values: named },
      { key: [0], values: named },
    ])
    assert.equal(missing.constructor.name, 'UnknownKey')
    assert.deepEqual(missing.key, [0])
    const conflict = await failed([
      { key: [other.id], values: named },
      { key: [id], values: { ...named, code: 'taken' } },
    ])
    assert.equal(conflict.status, 409)
    const rows = await db.from('samples').select('name')
    assert.deepEqual(rows, [{ name: 'a' }, { name: 'a' }])
  }).skip(!onSqlite, 'Databases that lock rows do so one after the other')

  test('[L9, P8] if application code could change the next record, records are updated one by one', async ({
    assert,
  }) => {
    class Hooked extends Sample {
      static override table = 'samples'

      @beforeUpdate()
      static note() {}
    }
    const overridden = new (class extends LucidCrud {
      override afterUpdate() {}
    })(Sample)
    const replaced = new (class extends LucidCrud {
      override async update() {
        return null
      }
    })(Sample)
    for (const crud of [new LucidCrud(Hooked), overridden, replaced] as LucidCrud[]) {
      const isDone = await db.transaction((client) => crud.updateTogether([], { client }))
      assert.isFalse(isDone)
    }
    const notes = new LucidCrud(Note)
    const isDone = await db.transaction((client) => notes.updateTogether([], { client }))
    assert.equal(isDone, onSqlite, 'a policy or a scope')
  })
})
