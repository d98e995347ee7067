import { join } from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { dialectOf } from '#base/database/dialects'
import { readyOn } from '#base/database/sqlite/sqlite_statements'
import { sqliteConnections } from '#base/database/sqlite/sqlite_connection'

const TABLE = 'odd "table"'

test.group('Prepared statements of a connection', (group) => {
  let folder: string

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-statements-'))
    for (const [name, config] of Object.entries(configs())) db.manager.add(name, config)
    await make()
    return async () => {
      for (const name of Object.keys(configs())) await db.manager.close(name, true)
      await rm(folder, { recursive: true })
    }
  })

  const configs = () => sqliteConnections('ready', join(folder, 'db.sqlite3'), { migrations: [] })
  const make = () =>
    client().rawQuery(
      'create table "odd ""table""" (id integer primary key, name text not null unique)'
    )
  const client = () => db.connection('ready')
  const readerConnection = async () => {
    const pool = db.connection('ready_readers').getReadClient().client
    const connection = await pool.acquireConnection()
    await pool.releaseConnection(connection)
    return connection
  }
  const writerConnection = async () => {
    const pool = client().getWriteClient().client
    const connection = await pool.acquireConnection()
    await pool.releaseConnection(connection)
    return connection
  }
  const insert = (name: string | null, around = client()) =>
    around.transaction((trx) => dialectOf(trx).insertRow(trx, TABLE, { name }))
  const names = async () => {
    const rows = await client().from(TABLE).orderBy('id')
    return rows.map(({ name }) => name)
  }

  test('[E3] a prepared insert stores texts unchanged and returns the key', async ({ assert }) => {
    const text = `'; drop table "x" -- ?\u{1f3ac}`
    assert.equal(await insert(text), 1)
    assert.equal(await insert('b'), 2)
    assert.deepEqual(await names(), [text, 'b'])
  })

  test('[E3] a rollback reverts prepared inserts, also in nested transactions', async ({
    assert,
  }) => {
    await client().transaction(async (outer) => {
      await insert('a', outer)
      const inner = await outer.transaction()
      await dialectOf(inner).insertRow(inner, TABLE, { name: 'undone' })
      await inner.rollback()
    })
    assert.deepEqual(await names(), ['a'])
  })

  test("[E4] a prepared statement that fails throws the driver's error, and can be used again", async ({
    assert,
  }) => {
    await insert('a')
    await assert.rejects(() => insert('a'), /UNIQUE/)
    await assert.rejects(() => insert(null), /NOT NULL/)
    await insert('b')
    await client().rawQuery('drop table "odd ""table"""')
    await assert.rejects(() => insert('c'), /no such table/)
    await assert.rejects(() => insert('c'), /no such table/)
    await make()
    await insert('d')
    assert.deepEqual(await names(), ['d'])
  })

  test('[E3] a prepared insert can also run without a transaction', async ({ assert }) => {
    assert.equal(await dialectOf(client()).insertRow(client(), TABLE, { name: 'a' }), 1)
    assert.deepEqual(await names(), ['a'])
  })

  test('the number of cached statements is bounded', async ({ assert }) => {
    await insert('a')
    const dialect = dialectOf(client())
    const ask = (text: string) => dialect.selectRows(client(), text, [])
    for (let number = 0; number < 1000; number++) {
      assert.deepEqual(await ask(`select name, ${number} as number from "odd ""table"""`), [
        { name: 'a', number },
      ])
    }
    assert.lengthOf(await ask('select name, 0 as number from "odd ""table"""'), 1)
    assert.isAtMost(readyOn(await readerConnection()).size, 200)
  })

  test('[E3] statements of knex are cached too, except those that run once', async ({ assert }) => {
    const connection = await writerConnection()
    for (const name of ['a', 'b']) {
      await client().transaction(async (trx) => {
        await trx.insertQuery().table(TABLE).insert({ name })
        const inner = await trx.transaction()
        await inner.rollback()
      })
    }
    await client().from(TABLE).where('name', 'b').update({ name: 'c' })
    assert.deepEqual(await names(), ['a', 'c'])
    const stored = [...readyOn(connection).keys()]
    assert.includeMembers(stored, ['BEGIN IMMEDIATE;', 'COMMIT;'])
    assert.lengthOf(
      stored.filter((sql) => sql.startsWith('insert ')),
      1
    )
    assert.lengthOf(
      stored.filter((sql) => sql.startsWith('update ')),
      1
    )
    assert.deepEqual(
      stored.filter((sql) => /create|savepoint/i.test(sql)),
      []
    )
  })

  test("[E4] a failed knex statement throws the driver's error, and the statement can be used again", async ({
    assert,
  }) => {
    const add = (name: string | null) => client().insertQuery().table(TABLE).insert({ name })
    assert.deepEqual(await add('a'), [1])
    await assert.rejects(() => add('a'), /SQLITE_CONSTRAINT: UNIQUE/)
    await assert.rejects(() => add(null), /SQLITE_CONSTRAINT: NOT NULL/)
    await assert.rejects(() => client().rawQuery('select a from nowhere'), /no such table/)
    assert.deepEqual(await add('b'), [2])
    const many = await Promise.all([1, 2, 3].map(() => client().from(TABLE).select('name')))
    assert.deepEqual(many[0], [{ name: 'a' }, { name: 'b' }])
    assert.deepEqual(many, [many[0], many[0], many[0]])
  })

  test('[E4, A29.3] a write that fails because the database is busy does not block later writes', async ({
    assert,
  }) => {
    await client().rawQuery('PRAGMA busy_timeout = 20')
    const [[, config]] = Object.entries(configs())
    db.manager.add('other', config)
    const other = db.connection('other')
    const add = (name: string, around = client()) =>
      around.insertQuery().table(TABLE).insert({ name })
    const writes = [
      () => add('of knex'),
      () => dialectOf(client()).insertRow(client(), TABLE, { name: 'of the engine' }),
    ]
    for (const [index, write] of writes.entries()) {
      const lock = await other.transaction()
      await assert.rejects(write, /SQLITE_BUSY/)
      await lock.rollback()
      await client().transaction(async (trx) => {
        const inner = await trx.transaction()
        await add(`later ${index}`, inner)
        await inner.commit()
      })
    }
    const stored = await other.from(TABLE).select('name')
    await db.manager.close('other', true)
    assert.deepEqual(stored, [{ name: 'later 0' }, { name: 'later 1' }])
  })

  test('[E3] a connection with prepared statements can be closed', async ({ assert }) => {
    await insert('a')
    await db.manager.close('ready')
    assert.isFalse(db.manager.isConnected('ready'))
    assert.deepEqual(await names(), ['a'])
  })
})
