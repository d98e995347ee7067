import { join } from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { dialectOf } from '#crud/database/dialects'
import { sqliteConnections } from '#crud/database/sqlite_connection'

const TABLE = 'odd "table"'

test.group('Statements that a connection keeps ready', (group) => {
  group.each.setup(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atrium-statements-'))
    const configs = sqliteConnections('ready', join(folder, 'db.sqlite3'), { migrations: [] })
    for (const [name, config] of Object.entries(configs)) db.manager.add(name, config)
    await make()
    return async () => {
      for (const name of Object.keys(configs)) await db.manager.close(name, true)
      await rm(folder, { recursive: true })
    }
  })

  const make = () =>
    client().rawQuery(
      'create table "odd ""table""" (id integer primary key, name text not null unique)'
    )
  const client = () => db.connection('ready')
  const insert = (name: string | null, around = client()) =>
    around.transaction((trx) => dialectOf(trx).insertRow(trx, TABLE, { name }))
  const names = async () => {
    const rows = await client().from(TABLE).orderBy('id')
    return rows.map(({ name }) => name)
  }

  test('[E3] they insert the values as they are and tell the key', async ({ assert }) => {
    const text = `'; drop table "x" -- ?\u{1f3ac}`
    assert.equal(await insert(text), 1)
    assert.equal(await insert('b'), 2)
    assert.deepEqual(await names(), [text, 'b'])
  })

  test('[E3] what a transaction undoes is undone, also one within another', async ({ assert }) => {
    await client().transaction(async (outer) => {
      await insert('a', outer)
      const inner = await outer.transaction()
      await dialectOf(inner).insertRow(inner, TABLE, { name: 'undone' })
      await inner.rollback()
    })
    assert.deepEqual(await names(), ['a'])
  })

  test("[E4] a failure is the driver's, and the statement goes on being good", async ({
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

  test('[E3] without a transaction it inserts, too', async ({ assert }) => {
    assert.equal(await dialectOf(client()).insertRow(client(), TABLE, { name: 'a' }), 1)
    assert.deepEqual(await names(), ['a'])
  })

  test('[E3] a connection with statements closes', async ({ assert }) => {
    await insert('a')
    await db.manager.close('ready')
    assert.isFalse(db.manager.isConnected('ready'))
    assert.deepEqual(await names(), ['a'])
  })
})
