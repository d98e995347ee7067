import { createRequire } from 'node:module'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import app from '@adonisjs/core/services/app'
import { stores } from '@adonisjs/limiter'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { counters } from '#base/counters'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import { lockableFile, SQLITE_DRIVERS } from '#tests/helpers/other_process'
import { withoutSavepoints } from '#upstream/limiter_savepoints'

interface Clearing {
  tableName: string
  clearExpired(before: number): Promise<unknown>
}

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
    const { rateLimiter } = store as unknown as { rateLimiter: Clearing }
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

  test('[B8, A29] counting waits while another process holds the lock')
    .with(SQLITE_DRIVERS)
    .run(async ({ assert, cleanup }, driver) => {
      const { connection, other } = await lockableFile(driver, cleanup)
      await db
        .connection(connection)
        .rawQuery(
          'create table counts (key text primary key, points integer not null, expire integer)'
        )
      const counts = await withoutSavepoints(
        stores.database({
          tableName: 'counts',
          connectionName: connection as never,
          clearExpiredByTimeout: false,
        })
      ).resolver(app)
      const store = counts({ requests: 3, duration: 60 })
      const { rateLimiter } = store as unknown as { rateLimiter: Clearing }
      await store.set('set', 1)
      await store.increment('deleted')
      await store.increment('expired')
      await db
        .connection(connection)
        .from('counts')
        .where('key', 'like', '%expired')
        .update({ expire: 1 })

      const writes: Record<string, () => Promise<unknown>> = {
        increment: () => store.increment('counted'),
        decrement: () => store.decrement('counted'),
        set: () => store.set('set', 2),
        delete: () => store.delete('deleted'),
        clearExpired: () => rateLimiter.clearExpired(2),
      }
      const results: Record<string, unknown> = {}
      for (const [name, write] of Object.entries(writes)) {
        await other.run('begin immediate')
        let isOver = false
        const writing = write()
          .catch((error) => error)
          .finally(() => (isOver = true))
        await sleep(50)
        assert.isFalse(isOver, name)
        await other.run('rollback')
        results[name] = await writing
      }
      assert.equal(results.delete, true)
      const left = await db
        .connection(connection)
        .from('counts')
        .select('key', 'points')
        .orderBy('key')
      assert.deepEqual(left, [
        { key: 'rlflx:counted', points: 0 },
        { key: 'rlflx:set', points: 2 },
      ])
    })
})
