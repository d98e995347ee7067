import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { readersOf, sqliteConnections } from '#base/database/sqlite/sqlite_connection'
import { ANOTHER, MAIN } from '#tests/helpers/databases'

async function pragma(connection: string, name: string) {
  const [row] = await db.connection(connection).rawQuery(`PRAGMA ${name}`)
  return Object.values(row as object)[0]
}

test.group('SQLite connections', () => {
  test('a file has one writing connection and several reading ones', ({ assert }) => {
    const connections = sqliteConnections('shop', '/data/shop.sqlite3', {
      migrations: ['shop/migrations'],
      readers: 3,
    })
    assert.sameMembers(Object.keys(connections), ['shop', 'shop_readers'])

    const { shop, shop_readers: readers } = connections
    assert.deepEqual(shop.connection, { filename: '/data/shop.sqlite3' })
    assert.deepEqual(readers.connection, shop.connection)
    assert.equal(shop.pool!.max, 1)
    assert.equal(readers.pool!.max, 3)
    assert.deepEqual(shop.migrations!.paths, ['shop/migrations'])
    assert.isUndefined(readers.migrations)
  })

  test('the reading connections are registered under the name of the writing one', ({ assert }) => {
    const writer = db.connection()
    assert.equal(readersOf(writer)!.connectionName, `${writer.connectionName}_readers`)
    assert.isUndefined(readersOf(readersOf(writer)!))
  })

  test('the writing connection enforces foreign keys and waits for other processes', async ({
    assert,
  }) => {
    assert.equal(await pragma(MAIN, 'foreign_keys'), 1)
    assert.equal(await pragma(MAIN, 'journal_mode'), 'wal')
    /* The driver better-sqlite3 would block the server while it waits: its statements are repeated instead. */
    const isBetter = db.connection(MAIN).dialect.name === 'better-sqlite3'
    assert.equal(await pragma(MAIN, 'busy_timeout'), isBetter ? 0 : 5000)
  })

  test("each connection has a larger cache than SQLite's default", async ({ assert }) => {
    for (const connection of [MAIN, ANOTHER]) {
      assert.equal(await pragma(connection, 'cache_size'), -16_384)
    }
  })

  test("a reading connection can't write", async ({ assert }) => {
    assert.equal(await pragma(ANOTHER, 'query_only'), 1)
    await assert.rejects(
      () => db.connection(ANOTHER).table('crud_counters').insert({ name: 'by reader' }),
      /readonly/
    )
  })

  test('a reading connection sees committed data while a write transaction is open', async ({
    assert,
  }) => {
    await db.from('crud_counters').delete()
    const count = async () => {
      const rows = await db.connection(ANOTHER).from('crud_counters')
      return rows.length
    }
    const trx = await db.transaction()
    await trx.table('crud_counters').insert({ name: 'open' })
    const before = await count()
    await trx.commit()
    assert.equal(before, 0)
    assert.equal(await count(), 1)
  })
})
