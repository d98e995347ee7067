import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { endInDatabase, runEndHooks } from '#upstream/lucid_transaction_end'
import { reportFailedEnd, seal } from '#upstream/knex_transaction'

/** A nested transaction whose hooks and listeners are heard */
async function nested(outer: TransactionClientContract) {
  const transaction = await outer.transaction()
  reportFailedEnd(transaction)
  const heard: string[] = []
  for (const end of ['commit', 'rollback'] as const) {
    transaction.after(end, async () => void heard.push(`after ${end}`))
    transaction.once(end as 'commit', () => heard.push(end))
  }
  return { transaction, heard }
}

test.group('The end of a nested transaction', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  let outer: TransactionClientContract
  group.each.setup(async () => {
    outer = await db.transaction()
    return () => outer.rollback()
  })

  test('Lucid still runs the hooks of a nested transaction at its release', async ({ assert }) => {
    const { transaction, heard } = await nested(outer)
    await transaction.commit()
    assert.deepEqual(heard, ['commit', 'after commit'])
  })

  for (const end of ['commit', 'rollback'] as const) {
    test(`the hooks of a nested ${end} wait until they are run explicitly`, async ({ assert }) => {
      const { transaction, heard } = await nested(outer)
      await endInDatabase(transaction, end)
      assert.isTrue(transaction.isCompleted)
      assert.deepEqual(heard, [])
      await runEndHooks(transaction, end)
      assert.deepEqual(heard, [end, `after ${end}`])
    })
  }

  test('after a nested transaction is released, its rollback hooks can still be run', async ({
    assert,
  }) => {
    const { transaction, heard } = await nested(outer)
    await endInDatabase(transaction, 'commit')
    await runEndHooks(transaction, 'rollback')
    assert.deepEqual(heard, ['rollback', 'after rollback'])
  })

  test('a sealed transaction refuses statements and savepoints until it is unsealed', async ({
    assert,
  }) => {
    const trx = await outer.transaction()
    const unseal = seal(trx)
    assert.isTrue(trx.isCompleted)
    await assert.rejects(() => trx.from('samples').count('* as total'), /is over/)
    await assert.rejects(() => trx.transaction(), /is over/)
    unseal()
    await trx.commit()
  })
})
