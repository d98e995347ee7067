import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { beginLightly } from '#crud/database/light_transaction'
import { afterOutermostCommit } from '#crud/database/outermost_commit'
import { withConnection } from '#crud/database/with_connection'

const ROW = { name: 'light', created_at: '2024-01-01 00:00:00' }

/** Knex's client, which makes its transactions */
function knexClient() {
  return db.connection().getWriteClient().client
}

async function names(): Promise<string[]> {
  const rows = await db.from('samples').select('name').orderBy('id')
  return rows.map(({ name }) => name)
}

test.group('A transaction that is begun lightly', (group) => {
  let trx: TransactionClientContract
  let made = 0

  group.each.setup(async () => {
    const client = knexClient()
    const { transaction } = client
    made = 0
    client.transaction = (...given: unknown[]) => {
      made += 1
      return transaction.apply(client, given as any)
    }
    trx = await beginLightly(db.connection())
    return async () => {
      Reflect.deleteProperty(client, 'transaction')
      await trx.rollback()
      await db.from('samples').delete()
    }
  })

  test('has no knex of its own until one is asked for', async ({ assert }) => {
    assert.exists(await withConnection(trx, async (connection) => connection))
    assert.isFalse(trx.isCompleted)
    assert.equal(made, 0)
    await trx.from('samples').select('id')
    await trx.from('samples').select('id')
    assert.equal(made, 1)
  })

  test('[E1] what is written in it by any means is there after the commit', async ({ assert }) => {
    await trx.table('samples').insert(ROW)
    await trx
      .insertQuery()
      .table('samples')
      .insert({ ...ROW, name: 'second' })
    await trx.rawQuery("update samples set name = 'third' where name = 'second'")
    await (trx.knexClient as any)('samples').insert({ ...ROW, name: 'fourth' })
    assert.lengthOf(await trx.from('samples'), 3)
    await trx.commit()
    assert.deepEqual(await names(), ['light', 'third', 'fourth'])
  })

  test('[E1] what is written in it is gone after a rollback', async ({ assert }) => {
    await trx.table('samples').insert(ROW)
    await trx.rollback()
    assert.isTrue(trx.isCompleted)
    assert.deepEqual(await names(), [])
  })

  test('[E1] transactions within it end with it, or by themselves', async ({ assert }) => {
    const heard: string[] = []
    await trx.transaction(async (inner) => {
      afterOutermostCommit(inner, () => heard.push('first'))
      await inner.table('samples').insert(ROW)
    })
    const undone = await trx.transaction()
    await undone.table('samples').insert({ ...ROW, name: 'undone' })
    await undone.rollback()
    await trx.transaction(async (inner) => {
      await inner.transaction(async (innermost) => {
        afterOutermostCommit(innermost, () => heard.push('second'))
        await innermost.table('samples').insert({ ...ROW, name: 'second' })
      })
    })
    assert.deepEqual(heard, [])
    await trx.commit()
    assert.deepEqual(await names(), ['light', 'second'])
    assert.deepEqual(heard, ['first', 'second'])
  })

  test('[E1] when it is undone, so are those within it, and nobody hears of them', async ({
    assert,
  }) => {
    const heard: string[] = []
    await trx.transaction(async (inner) => {
      afterOutermostCommit(inner, () => heard.push('inner'))
      await inner.table('samples').insert(ROW)
    })
    await trx.rollback()
    assert.deepEqual(heard, [])
    assert.deepEqual(await names(), [])
  })

  for (const end of ['commit', 'rollback'] as const) {
    test(`after its ${end} nothing goes to the connection, which others have by then`, async ({
      assert,
    }) => {
      await trx[end]()
      await assert.rejects(() => trx.from('samples').delete(), /already complete/)
      await assert.rejects(() => withConnection(trx, async () => {}), 'The transaction is over')
      await trx.commit()
      await trx.rollback()
    })

    test(`its connection is free after its ${end}, however often`, async ({ assert }) => {
      const { pool } = knexClient()
      await trx[end]()
      for (let time = 0; time < 15; time++) {
        const one = await beginLightly(db.connection())
        assert.equal(pool.numUsed(), 1)
        await one[end]()
      }
      assert.equal(pool.numUsed(), 0)
    })
  }
})

test.group('A transaction that can not begin or end', (group) => {
  const client = () => knexClient() as { query(...given: unknown[]): Promise<unknown> }

  /** The database refuses one statement. */
  function refuse(statement: string) {
    const { query } = client()
    client().query = function (connection: unknown, sql: unknown) {
      if (sql === statement) return Promise.reject(new Error('refused'))
      return query.call(this, connection, sql)
    }
    return () => void Reflect.deleteProperty(client(), 'query')
  }

  group.each.teardown(() => void Reflect.deleteProperty(client(), 'query'))

  test('without a BEGIN there is none, and the connection is free', async ({ assert }) => {
    refuse('BEGIN;')
    await assert.rejects(() => beginLightly(db.connection()), 'refused')
    assert.equal(knexClient().pool.numUsed(), 0)
  })

  test('[E1] without a COMMIT nobody is told that there was one', async ({ assert }) => {
    const heard: string[] = []
    const trx = await beginLightly(db.connection())
    const connection = await withConnection(trx, async (own) => own)
    const restore = refuse('COMMIT;')
    afterOutermostCommit(trx, () => heard.push('write'))
    trx.after('commit', () => void heard.push('hook'))
    await assert.rejects(() => trx.commit(), 'refused')
    assert.deepEqual(heard, [])
    restore()
    await client().query(connection, 'ROLLBACK')
    assert.equal(knexClient().pool.numUsed(), 0)
  })

  test('without a ROLLBACK its connection is not used again', async ({ assert }) => {
    const trx = await beginLightly(db.connection())
    await trx.table('samples').insert(ROW)
    const restore = refuse('ROLLBACK')
    await trx.rollback()
    restore()
    assert.deepEqual(await names(), [])
  })
})
