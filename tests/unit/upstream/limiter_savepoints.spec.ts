import { configProvider } from '@adonisjs/core'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import limiter from '@adonisjs/limiter/services/main'
import db from '@adonisjs/lucid/services/db'
import limiterConfig from '#config/limiter'
import { readersOf } from '#crud/database/sqlite/sqlite_connection'

const attempts = () => limiter.use({ requests: 3, duration: '1 min' })

test.group('withoutSavepoints', (group) => {
  group.each.setup(async () => {
    await db.from('rate_limits').delete()
  })

  test('[B8] counting does not disturb the transactions of others', async ({ assert }) => {
    for (let round = 0; round < 10; round++) {
      const counting = Array.from({ length: 6 }, (_, i) => attempts().increment(`key-${i}`))
      const writing = Array.from({ length: 6 }, (_, i) =>
        db.transaction(async (client) => {
          const expire = Date.now() + 60_000
          await client.table('rate_limits').insert({ key: `row-${round}-${i}`, points: 1, expire })
        })
      )
      const results = await Promise.allSettled([...counting, ...writing])
      const faults = results.filter(({ status }) => status === 'rejected')
      assert.deepEqual(faults, [])
    }
    assert.lengthOf(await db.from('rate_limits').where('key', 'like', 'row-%'), 60)
  })

  test('[B8] nothing is left open after attempts at once', async ({ assert }) => {
    /* A second connection sees only what is committed; those of a server's pool are several. */
    const other = readersOf(db.connection()) ?? db.connection()
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 8 }, () => attempts().increment('key')))
      const [row] = await other.from('rate_limits')
      assert.equal(row.points, (round + 1) * 8)
      await db.transaction(async () => {})
    }
  })

  test('[B8] rows that are long over go, and a database that refuses ends nothing', async ({
    assert,
  }) => {
    const config = (await configProvider.resolve(app, limiterConfig)) as any
    const store = config.stores.database({ requests: 3, duration: 60 })
    const { rateLimiter } = store as unknown as {
      rateLimiter: { clearExpired(before: number): Promise<unknown>; tableName: string }
    }
    await attempts().increment('old')
    await attempts().increment('new')
    await db.from('rate_limits').where('key', 'like', '%old').update({ expire: 1000 })
    await rateLimiter.clearExpired(2000)
    const keys = await db.from('rate_limits').select('key')
    assert.deepEqual(keys, [{ key: 'rlflx:new' }])

    /* The timer that calls it would let the process end with the rejection. */
    rateLimiter.tableName = 'no_such_table'
    await assert.doesNotReject(() => rateLimiter.clearExpired(2000))
  })
})
