import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { ValueError } from '#crud'
import { dialectOf } from '#base/database/dialects'
import { whereSql } from '#base/sql/sql'
import { Resource } from '#crud/resource/resource'
import { now, type DeletedMode } from '#base/columns/soft_delete'
import { Sample } from '#tests/fixtures/samples'
import { Jotting } from '#tests/fixtures/writes'

async function load(settings: object, model: any = Jotting) {
  const resource = new Resource({ model, ...settings })
  await resource.load()
  return resource
}

async function titles(resource: Resource, mode: DeletedMode) {
  const client = db.connection()
  const query = resource.model.query({ client }).orderBy('id')
  const condition = resource.softDelete!.condition(mode, dialectOf(client))
  if (condition) whereSql(query as any, condition)
  const rows = await query
  return rows.map((row: any) => row.title ?? row.name)
}

test.group('Soft delete', (group) => {
  group.each.setup(async () => {
    await db.from('jottings').delete()
    await db.from('samples').delete()
    await db.table('jottings').multiInsert([
      { title: 'active', is_removed: 0, removed_at: null },
      { title: 'flagged', is_removed: 1, removed_at: null },
      { title: 'stamped', is_removed: 0, removed_at: '2024-01-01 00:00:00' },
      { title: 'both', is_removed: 1, removed_at: '2024-01-01 00:00:00' },
    ])
  })

  test('[S4] options name the columns by any of their names', async ({ assert }) => {
    for (const name of ['isRemoved', 'is_removed']) {
      const resource = new Resource({ model: Jotting, isDeletedColumn: name })
      assert.equal(resource.softDelete!.flag!.attribute, 'isRemoved')
    }
    assert.isUndefined(new Resource({ model: Jotting }).softDelete)
    assert.throws(
      () => new Resource({ model: Jotting, deletedAtColumn: 'gone_at' }),
      ValueError as any,
      /Jotting: deletedAtColumn names 'gone_at', which is not a column of the model/
    )
  })

  test('[A21] a deletion flag takes precedence over a timestamp', async ({ assert }) => {
    for (const settings of [
      { isDeletedColumn: 'is_removed' },
      { isDeletedColumn: 'is_removed', deletedAtColumn: 'removed_at' },
    ]) {
      const resource = await load(settings)
      assert.deepEqual(await titles(resource, 'exclude'), ['active', 'stamped'])
      assert.deepEqual(await titles(resource, 'only'), ['flagged', 'both'])
      assert.lengthOf(await titles(resource, 'include'), 4)
    }
  })

  test('[A21] a timestamp without a flag determines deletion', async ({ assert }) => {
    const resource = await load({ deletedAtColumn: 'removed_at' })
    assert.deepEqual(await titles(resource, 'exclude'), ['active', 'flagged'])
    assert.deepEqual(await titles(resource, 'only'), ['stamped', 'both'])
  })

  test('[A21] a null flag means not deleted', async ({ assert }) => {
    await db
      .table('samples')
      .multiInsert(
        [null, 0, 1].map((active) => ({ name: String(active), active, created_at: '2024-01-01' }))
      )
    const resource = await load({ isDeletedColumn: 'active' }, Sample)
    assert.deepEqual(await titles(resource, 'exclude'), ['null', '0'])
    assert.deepEqual(await titles(resource, 'only'), ['1'])
  })

  test('[A21] a soft deletion sets the flag, the timestamp or both, whichever the model has', async ({
    assert,
  }) => {
    const flag = await load({ isDeletedColumn: 'is_removed' })
    assert.deepEqual(flag.softDelete!.mark(), { isRemoved: true })
    const stamp = await load({ deletedAtColumn: 'removed_at' })
    assert.deepEqual(Object.keys(stamp.softDelete!.mark()), ['removedAt'])
    const both = await load({ isDeletedColumn: 'is_removed', deletedAtColumn: 'removed_at' })
    const mark = both.softDelete!.mark()
    assert.isTrue(mark.isRemoved)
    assert.isBelow(Math.abs((mark.removedAt as DateTime).diffNow().toMillis()), 10_000)
  })

  test('[B16] restoring resets the flag and the timestamp', async ({ assert }) => {
    const cases: Array<[object, object]> = [
      [{ isDeletedColumn: 'is_removed' }, { isRemoved: false }],
      [{ deletedAtColumn: 'removed_at' }, { removedAt: null }],
      [
        { isDeletedColumn: 'is_removed', deletedAtColumn: 'removed_at' },
        { isRemoved: false, removedAt: null },
      ],
    ]
    for (const [settings, expected] of cases) {
      const { softDelete } = await load(settings)
      assert.deepEqual(softDelete!.unmark(), expected)
      assert.sameMembers(Object.keys(softDelete!.unmark()), Object.keys(softDelete!.mark()))
    }
  })

  test("[S4] the timestamp has the type of the model's attribute", async ({ assert }) => {
    const { columns } = await load({}, Sample)
    assert.isTrue(DateTime.isDateTime(now(columns.find('moment')!)))
    assert.match(String(now(columns.find('plainMoment')!)), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  })
})
