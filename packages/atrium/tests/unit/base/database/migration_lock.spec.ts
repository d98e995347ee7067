import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { RuntimeError } from '#crud'
import { whileLocked } from '#base/database/migration_lock'

const NAME = db.primaryConnectionName

test.group('whileLocked()', () => {
  test('of two concurrent functions the second waits for the first', async ({ assert }) => {
    const order: string[] = []
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const first = whileLocked(db, NAME, async () => {
      begun.resolve()
      await goOn.promise
      order.push('first')
    })
    await begun.promise
    const second = whileLocked(db, NAME, async () => order.push('second'))
    /* The database itself is not locked. */
    await db.connection(NAME).transaction((trx) => trx.rawQuery('select 1'))
    goOn.resolve()
    await Promise.all([first, second])
    assert.deepEqual(order, ['first', 'second'])
  })

  test('a function that fails releases the lock and its connections', async ({ assert }) => {
    const known = [...db.manager.connections.keys()]
    await assert.rejects(() => whileLocked(db, NAME, () => Promise.reject(new Error('no'))), 'no')
    assert.equal(await whileLocked(db, NAME, async () => 'done'), 'done')
    assert.deepEqual([...db.manager.connections.keys()], known)
  })

  test('waiting too long for the lock is an error', async ({ assert }) => {
    await whileLocked(db, NAME, async () => {
      await assert.rejects(
        () => whileLocked(db, NAME, async () => {}, { timeout: 0 }),
        RuntimeError as any
      )
    })
  })
})
