import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { LucidCrud, observeWrites, type Write } from '#crud'
import { reversalOf, type Reversal } from '#crud/events/reversal'
import { gatherWrites } from '#crud/events/write_scope'
import { omit } from '#crud/operations/writes/written_fields'
import type { KeyValue } from '#base/columns/key'
import { RecordChangedSince } from '#base/errors'
import { Sample } from '#tests/fixtures/samples'
import { strange } from '#tests/helpers/actors'
import { onMysql, onPostgres } from '#tests/helpers/databases'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

type Values = Record<string, unknown>
type Undo = { key: KeyValue; reversal: Reversal }

const actor = strange({ kind: 'admin', user: { id: 1 } })
const samples = new LucidCrud(Sample)

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const moment = DateTime.fromISO('2026-02-03T04:05:06Z', { zone: 'utc' })
const values = fc.record(
  {
    name: fc.constantFrom('a', 'b'),
    longText: maybe(
      fc.string({ unit: 'grapheme', maxLength: 8 }).map((one) => one.replaceAll('\0', ''))
    ),
    count: maybe(fc.constantFrom(0, 1)),
    big: maybe(fc.constantFrom('9007199254740993', '-1')),
    ratio: maybe(fc.integer({ min: -1000, max: 1000 }).map((one) => one / 8)),
    active: maybe(fc.boolean()),
    moment: maybe(fc.constantFrom(moment, moment.plus({ hours: 1 }))),
    data: maybe(fc.constantFrom('{"a": [1, null]}', '[]', '"text"')),
    bytes: maybe(fc.uint8Array({ maxLength: 4 }).map((one) => Buffer.from(one))),
  },
  { requiredKeys: ['name'] }
)
const pairs = fc.array(fc.tuple(values, values), { minLength: 1, maxLength: 12 })

async function observed(work: () => Promise<unknown>): Promise<Write[]> {
  const told: Write[] = []
  const stop = observeWrites({
    async record(writes) {
      told.push(...writes)
    },
  })
  try {
    await work()
  } finally {
    stop()
  }
  return told
}

async function storedRows(): Promise<Values[]> {
  const rows = await db.from('samples').orderBy('id')
  return rows.map((row) => omit(row, ['id', 'created_at', 'updated_at']))
}

/** Creates and changes records, and returns what undoes the changes, with the rows before. */
async function changed(all: ReadonlyArray<[Values, Values]>) {
  await db.from('samples').delete()
  const keys: number[] = []
  for (const [first] of all) {
    const { id } = await samples.create(first, { actor })
    keys.push(id as number)
  }
  const before = await storedRows()
  const writes = await observed(async () => {
    for (const [index, [, second]] of all.entries()) {
      await samples.update(keys[index], second, { actor })
    }
  })
  const undos = writes.map((write): Undo => {
    return { key: write.key, reversal: reversalOf(write.resource, write.rows) }
  })
  return { before, undos }
}

async function revertTogether(undos: readonly Undo[]): Promise<boolean> {
  return await db.transaction((whole) =>
    gatherWrites(whole, { model: Sample, actor }, () =>
      samples.revertTogether(undos, { actor, whole })
    )
  )
}

function comparable(writes: readonly Write[]) {
  const own = (one: Values | null) => omit(one!, ['id', 'created_at', 'updated_at'])
  return writes.map((write) => ({
    kind: write.kind,
    actor: write.actor,
    before: own(write.before),
    after: own(write.after),
    changes: own(write.changes),
    previous: omit(reversalOf(write.resource, write.rows).before!, ['updated_at']),
  }))
}

test.group('Reverting many writes in one statement', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.setup(async () => {
    if (onPostgres) await db.rawQuery('alter table samples disable trigger user')
    return async () => {
      if (onPostgres) await db.rawQuery('alter table samples enable trigger user')
    }
  })
  group.each.setup(async () => void (await db.from('samples').delete()))

  test('[R7, E3] rows are restored as by single reverts, and the same writes are recorded', async ({
    assert,
  }) => {
    const property = fc.asyncProperty(pairs, async (all) => {
      const one = await changed(all)
      const single = await observed(async () => {
        for (const { key, reversal } of one.undos) await samples.revert(key, reversal, { actor })
      })
      assert.deepEqual(await storedRows(), one.before)

      const other = await changed(all)
      const together = await observed(async () => {
        assert.isTrue(other.undos.length === 0 || (await revertTogether(other.undos)))
      })
      assert.deepEqual(await storedRows(), other.before)
      assert.deepEqual(comparable(together), comparable(single))
    })
    await fc.assert(property, { numRuns: runs(20) })
  }).skip(onMysql, 'MariaDB does not return updated rows')

  test('[R7] equal values are restored by a single statement', async ({ assert }) => {
    const { before, undos } = await changed(
      Array.from({ length: 50 }, () => [{ name: 'a' }, { name: 'b' }])
    )
    const queries = await queriesOf(() => revertTogether(undos))
    assert.lengthOf(
      queries.filter((sql) => /^update/i.test(sql)),
      1
    )
    assert.deepEqual(await storedRows(), before)
  }).skip(onMysql, 'MariaDB does not return updated rows')

  test('[R7.2] LucidCrud.revert is refused and writes nothing if the record has changed since', async ({
    assert,
  }) => {
    const { before, undos } = await changed([[{ name: 'a' }, { name: 'b' }]])
    const [{ key, reversal }] = undos
    await db.from('samples').update({ count: 1 })
    const stored = await storedRows()
    await assert.rejects(() => samples.revert(key, reversal, { actor }), RecordChangedSince)
    assert.deepEqual(await storedRows(), stored)

    await db.from('samples').update({ count: before[0].count })
    await samples.revert(key, reversal, { actor })
    assert.deepEqual(await storedRows(), before)
  })

  test('[R7] if the application overrides a method, writes are not reverted in one statement', async ({
    assert,
  }) => {
    const { undos } = await changed([[{ name: 'a' }, { name: 'b' }]])
    const crud = new (class extends LucidCrud {
      override prepareDelete() {}
    })(Sample)
    const isDone = await db.transaction((whole) => crud.revertTogether(undos, { actor, whole }))
    assert.isFalse(isDone)
  })
})
