import { createRequire } from 'node:module'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { errors } from '@adonisjs/limiter'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { clearExpired, SqliteLimiterStore } from '#admin/services/limiter_table'
import { counters } from '#base/counters'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import { lockableFile, SQLITE_DRIVERS } from '#tests/helpers/other_process'

const TABLE = 'admin_rate_limits'

const attempts = () => counters().use({ requests: 3, duration: '1 min' })

const SqliteLimiter = createRequire(import.meta.url)(
  'rate-limiter-flexible/lib/RateLimiterSQLite.js'
)

test.group('rate-limiter-flexible', () => {
  test('the limiter by itself still releases a connection inside a savepoint', async ({
    assert,
  }) => {
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

test.group('Counters in a table', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    await db.from('admin_rate_limits').delete()
  })

  test('[B8] counting an attempt does not affect other transactions', async ({ assert }) => {
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
      const violations = results.filter(({ status }) => status === 'rejected')
      assert.deepEqual(violations, [])
    }
    assert.lengthOf(await db.from('admin_rate_limits').where('key', 'like', 'row-%'), 60)
  })

  test('[B8] concurrent counts leave no transaction open', async ({ assert }) => {
    /* A second connection sees only committed data; a server's pool has several. */
    const other = readersOf(db.connection()) ?? db.connection()
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 8 }, () => attempts().increment('key')))
      const [row] = await other.from('admin_rate_limits')
      assert.equal(row.points, (round + 1) * 8)
      await db.transaction(async () => {})
    }
  })

  test('[B8] expired counts are removed', async ({ assert }) => {
    await attempts().increment('old')
    await attempts().increment('new')
    await db.from('admin_rate_limits').where('key', 'like', '%old').update({ expire: 1000 })
    await clearExpired(db.connection(), TABLE, 2000)
    const keys = await db.from('admin_rate_limits').select('key')
    assert.deepEqual(keys, [{ key: 'rlflx:new' }])
  })

  test('[B8, A29] a count waits while another process locks the database')
    .with(SQLITE_DRIVERS)
    .run(async ({ assert, cleanup }, driver) => {
      const { connection, other } = await lockableFile(driver, cleanup)
      await db
        .connection(connection)
        .rawQuery(
          'create table counts (key text primary key, points integer not null, expire integer)'
        )
      const client = db.connection(connection)
      const store = new SqliteLimiterStore(client, 'counts', { requests: 3, duration: 60 })
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
        clearExpired: () => clearExpired(client, 'counts', 2),
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

test.group('SqliteLimiterStore', () => {
  const shown = ({ remaining, consumed }: { remaining: number; consumed: number }) => ({
    remaining,
    consumed,
  })

  async function storeOn(cleanup: (callback: () => Promise<void>) => void, options = {}) {
    const { connection } = await lockableFile('better-sqlite3', cleanup as never)
    const client = db.connection(connection)
    await client.rawQuery(
      'create table counts (key text primary key, points integer not null, expire integer)'
    )
    return {
      client,
      store: new SqliteLimiterStore(client, 'counts', {
        requests: 2,
        duration: '1 min',
        ...options,
      }),
    }
  }

  test("[B8] the SQLite store behaves as the contract of AdonisJS's limiter specifies", async ({
    assert,
    cleanup,
  }) => {
    const { client, store } = await storeOn(cleanup)
    assert.isNull(await store.get('key'))
    assert.deepEqual(shown(await store.decrement('key')), { remaining: 2, consumed: 0 })
    assert.deepEqual(shown(await store.consume('key')), { remaining: 1, consumed: 1 })
    const second = await store.consume('key')
    assert.deepEqual(shown(second), { remaining: 0, consumed: 2 })
    assert.isAbove(second.availableIn, 55)
    const error = await store.consume('key').catch((thrown) => thrown)
    assert.instanceOf(error, errors.E_TOO_MANY_REQUESTS)
    assert.deepEqual(shown(error.response), { remaining: 0, consumed: 3 })
    assert.deepEqual(shown(await store.increment('key', 2)), { remaining: 0, consumed: 5 })
    assert.deepEqual(shown(await store.decrement('key', 9)), { remaining: 2, consumed: 0 })
    assert.deepEqual(shown(await store.set('key', 1, '2 mins')), { remaining: 1, consumed: 1 })
    const blocked = await store.block('key', '3 mins')
    assert.deepEqual(shown(blocked), { remaining: 0, consumed: 3 })
    assert.isAbove(blocked.availableIn, 175)
    await client.from('counts').update({ expire: Date.now() - 1 })
    assert.isNull(await store.get('key'))
    assert.deepEqual(shown(await store.consume('key')), { remaining: 1, consumed: 1 })
    assert.isTrue(await store.delete('key'))
    assert.isFalse(await store.delete('key'))
    await store.consume('key')
    await store.clear()
    assert.isNull(await store.get('key'))
  })

  test('[Q8] a key over the limit is refused without a query until its count expires', async ({
    assert,
    cleanup,
  }) => {
    const { client, store } = await storeOn(cleanup, { inMemoryBlockOnConsumed: 2 })
    await store.consume('key')
    await store.consume('key')
    await client.from('counts').delete()
    const error = await store.consume('key').catch((thrown) => thrown)
    assert.instanceOf(error, errors.E_TOO_MANY_REQUESTS)
    assert.isAbove(error.response.availableIn, 55)
    await store.consume('other')
    store.deleteInMemoryBlockedKeys()
    await assert.doesNotReject(() => store.consume('key'))
  })
})
