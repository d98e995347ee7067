import { createRequire } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { counters } from '#crud/counters'
import { readersOf } from '#crud/database/sqlite/sqlite_connection'

const attempts = () => counters().use({ requests: 3, duration: '1 min' })

const SqliteLimiter = createRequire(import.meta.url)(
  'rate-limiter-flexible/lib/RateLimiterSQLite.js'
)

test.group('rate-limiter-flexible', () => {
  test('the limiter still releases a connection inside a savepoint', async ({ assert }) => {
    const steps: string[] = []
    const counter = Object.assign(Object.create(SqliteLimiter.prototype), {
      _internalStoreType: 'sqlite3',
      tableName: 'admin_rate_limits',
      _getConnection: async () => ({}),
      _releaseConnection: () => steps.push('given back'),
      _upsertTransactionSQLite3: async () => {
        await turn()
        steps.push('savepoint released')
      },
    })
    await counter._upsertTransaction('key', 1, 1000, false)
    assert.deepEqual(steps, ['given back', 'savepoint released'])
  })
})

test.group('withoutSavepoints', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(async () => {
    await db.from('admin_rate_limits').delete()
  })

  test('[B8] counting does not affect other transactions', async ({ assert }) => {
    for (let round = 0; round < 10; round++) {
      const counting = Array.from({ length: 6 }, (_, i) => attempts().increment(`key-${i}`))
      const writing = Array.from({ length: 6 }, (_, i) =>
        db.transaction(async (client) => {
          const expire = Date.now() + 60_000
          await client
            .table('admin_rate_limits')
            .insert({ key: `row-${round}-${i}`, points: 1, expire })
        })
      )
      const results = await Promise.allSettled([...counting, ...writing])
      const faults = results.filter(({ status }) => status === 'rejected')
      assert.deepEqual(faults, [])
    }
    assert.lengthOf(await db.from('admin_rate_limits').where('key', 'like', 'row-%'), 60)
  })

  test('[B8] concurrent attempts leave no transaction open', async ({ assert }) => {
    /* A second connection sees only committed data; a server's pool has several. */
    const other = readersOf(db.connection()) ?? db.connection()
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 8 }, () => attempts().increment('key')))
      const [row] = await other.from('admin_rate_limits')
      assert.equal(row.points, (round + 1) * 8)
      await db.transaction(async () => {})
    }
  })

  test('[B8] expired rows are removed, and a database error does not end the process', async ({
    assert,
  }) => {
    const store = counters().config.stores.database({ requests: 3, duration: 60 })
    const { rateLimiter } = store as unknown as {
      rateLimiter: { clearExpired(before: number): Promise<unknown>; tableName: string }
    }
    await attempts().increment('old')
    await attempts().increment('new')
    await db.from('admin_rate_limits').where('key', 'like', '%old').update({ expire: 1000 })
    await rateLimiter.clearExpired(2000)
    const keys = await db.from('admin_rate_limits').select('key')
    assert.deepEqual(keys, [{ key: 'rlflx:new' }])

    /* Called by a timer, where a rejection would end the process. */
    rateLimiter.tableName = 'no_such_table'
    await assert.doesNotReject(() => rateLimiter.clearExpired(2000))
  })
})
