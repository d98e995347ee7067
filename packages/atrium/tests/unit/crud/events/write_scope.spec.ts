import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LucidCrud, observeWrites, type Write } from '#crud'
import { gatherWrites } from '#crud/events/write_scope'
import { Plain } from '#tests/fixtures/events'
import { writeInWords } from '#tests/helpers/model_events'
import { strange } from '#tests/helpers/actors'

const actor = strange({ kind: 'admin', user: { id: 1 } })

test.group('Writes of one action', (group) => {
  const crud = new LucidCrud(Plain)
  let actions: Write[][] = []
  group.each.setup(async () => {
    await db.from('event_plains').delete()
    actions = []
    return observeWrites({
      async record(writes) {
        actions.push([...writes])
      },
    })
  })

  test('[E3] a nested action is reported as part of the outer one, with the actor of that one', async ({
    assert,
  }) => {
    await db.transaction((client) =>
      gatherWrites(client, { model: Plain, actor }, async () => {
        await crud.create({ name: 'a' }, { client })
        await Plain.create({ name: 'b', value: 1 }, { client })
        assert.isEmpty(actions)
      })
    )
    assert.lengthOf(actions, 1)
    assert.deepEqual(
      actions[0].map((write) => [write.kind, write.actor]),
      [
        ['create', actor],
        ['create', actor],
      ]
    )
  })

  test('[E1] the writes of a nested action that fails and is caught are not recorded', async ({
    assert,
  }) => {
    const { id } = await Plain.create({ name: 'a', value: 1 })
    actions = []
    await db.transaction((client) =>
      gatherWrites(client, { model: Plain, actor }, async () => {
        await crud.deleteMany([id, 99], { client }).catch(() => {})
        await client
          .transaction(async (inner) => {
            await crud.update(id, { name: 'undone' }, { client: inner })
            throw new Error('undone')
          })
          .catch(() => {})
        await crud.update(id, { name: 'b' }, { client })
      })
    )
    assert.deepEqual(
      actions.map((writes) => writes.map(writeInWords)),
      [[`update Plain ${id}`]]
    )
    assert.deepEqual(actions[0][0].changes, { name: { old: 'a', new: 'b' } })
  })

  test('[E4] an error of an observer rolls back the whole action', async ({ assert, cleanup }) => {
    cleanup(
      observeWrites({
        async record() {
          throw new Error('no')
        },
      })
    )
    await assert.rejects(() => crud.create({ name: 'a' }), /rolled back, as it could not be logged/)
    assert.isNull(await Plain.first())
  })

  test('[E3] writes after an action in the same transaction are reported separately', async ({
    assert,
  }) => {
    await db.transaction(async (client) => {
      await gatherWrites(client, { model: Plain, actor }, async () => {})
      await Plain.create({ name: 'a', value: 1 }, { client })
      assert.lengthOf(actions, 1)
      assert.deepEqual(actions[0][0].actor, { kind: 'none' })
    })
  })
})
