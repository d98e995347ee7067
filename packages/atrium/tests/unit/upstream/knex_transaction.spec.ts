import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { afterOutermostCommit } from '#base/database/outermost_commit'
import { inTransaction } from '#base/database/transaction'
import { withConnection } from '#base/database/with_connection'
import { connectionOf, reportFailedEnd } from '#upstream/knex_transaction'

const ROW = { name: 'upstream', created_at: '2024-01-01 00:00:00' }

/** Knex's client, which has the pool */
const knexClient = () => db.connection().getWriteClient().client

const names = async (client: QueryClientContract = db.connection()): Promise<string[]> => {
  const rows = await client.from('samples').select('name').orderBy('id')
  return rows.map(({ name }) => name)
}

async function begin() {
  const trx = await db.connection().transaction()
  reportFailedEnd(trx)
  return trx
}

type Query = (connection: object, sql: unknown) => Promise<unknown>

type Reply = (send: () => Promise<unknown>) => Promise<unknown>

const replies = new Map<unknown, Reply>()

/** Replaces the driver's response to a statement. */
const response = (statement: string, reply: Reply) => void replies.set(statement, reply)
const restore = () => replies.clear()

/** Transaction clients have the pool's class and copy its `query` when they are created. */
function listen() {
  const prototype = Object.getPrototypeOf(knexClient())
  const query: Query = prototype.query
  prototype.query = function (this: object, connection: object, sql: unknown) {
    const send = () => query.call(this, connection, sql)
    const reply = replies.get(sql)
    return reply ? reply(send) : send()
  } as Query
  return () => void Reflect.deleteProperty(prototype, 'query')
}

const refuse = () => Promise.reject(new Error('refused'))

test.group('The end of a knex transaction', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.setup(listen)
  group.each.setup(() => async () => {
    restore()
    await turn()
    await db.from('samples').delete()
  })

  for (const end of ['commit', 'rollback'] as const) {
    test(`after its ${end}, a transaction can't send statements on its connection`, async ({
      assert,
    }) => {
      const trx = await begin()
      assert.exists(await withConnection(trx, async (connection) => connection))
      await trx[end]()
      await assert.rejects(() => trx.from('samples').delete(), /already complete/)
      await assert.rejects(() => connectionOf(trx), 'The transaction is over')
      await assert.rejects(() => withConnection(trx, async () => {}), 'The transaction is over')
      await trx.commit()
      await trx.rollback()
    })

    test(`the connection of a transaction is released once after its ${end}`, async ({
      assert,
    }) => {
      const { pool } = knexClient()
      for (let time = 0; time < 15; time++) {
        const one = await begin()
        assert.equal(pool.numUsed(), 1)
        await one[end]()
        await one[end]()
        await turn()
      }
      assert.equal(pool.numUsed(), 0)
    })
  }

  test('[E1] if the COMMIT fails, no commit is reported', async ({ assert }) => {
    const heard: string[] = []
    const trx = await begin()
    await trx.table('samples').insert(ROW)
    response('COMMIT;', async (send) => {
      await send()
      throw new Error('refused')
    })
    afterOutermostCommit(trx, () => heard.push('write'))
    trx.after('commit', () => void heard.push('hook'))
    await assert.rejects(() => trx.commit(), 'refused')
    await turn()
    assert.deepEqual(heard, [])
    assert.equal(knexClient().pool.numUsed(), 0)
  })

  test('knex still treats a refused COMMIT as successful', async ({ assert }) => {
    const heard: string[] = []
    const trx = await db.connection().transaction()
    ;(trx.knexClient as any).executionPromise.catch(() => {})
    trx.after('commit', () => void heard.push('hook'))
    response('COMMIT;', async (send) => {
      await send()
      throw new Error('refused')
    })
    await trx.commit()
    assert.deepEqual(heard, ['hook'])
  })

  test('a connection whose ROLLBACK failed is not reused', async ({ assert }) => {
    const trx = await begin()
    const connection = await connectionOf(trx)
    await trx.table('samples').insert(ROW)
    response('ROLLBACK', refuse)
    await trx.rollback()
    restore()
    await turn()
    assert.equal(knexClient().pool.numUsed(), 0)
    assert.deepEqual(await names(), [])
    await withConnection(db.connection(), (other) => assert.notStrictEqual(other, connection))
  })

  test('a connection whose ROLLBACK gets no response in time is not reused', async ({
    assert,
    cleanup,
  }) => {
    const trx = await begin()
    const connection = await connectionOf(trx)
    await trx.table('samples').insert(ROW)
    response('ROLLBACK', () => new Promise(() => {}))
    mock.timers.enable({ apis: ['setTimeout'] })
    cleanup(() => mock.timers.reset())
    const end = trx.rollback()
    mock.timers.tick(5000)
    await end
    mock.timers.reset()
    restore()
    await turn()
    assert.equal(knexClient().pool.numUsed(), 0)
    assert.deepEqual(await names(), [])
    await withConnection(db.connection(), (other) => assert.notStrictEqual(other, connection))
  })

  test('a connection whose ROLLBACK succeeded is reused', async ({ assert }) => {
    const trx = await begin()
    const connection = (await connectionOf(trx)) as { __knex__disposed?: unknown }
    await trx.rollback()
    assert.isUndefined(connection.__knex__disposed)
  })

  test('knex still releases a connection whose ROLLBACK has failed', async ({ assert }) => {
    const trx = await db.connection().transaction()
    ;(trx.knexClient as any).executionPromise.catch(() => {})
    const connection = (await connectionOf(trx)) as { __knex__disposed?: unknown }
    response('ROLLBACK', async (send) => {
      await send()
      throw new Error('refused')
    })
    await trx.rollback()
    assert.isUndefined(connection.__knex__disposed)
  })
})

test.group('inTransaction()', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.setup(listen)
  group.each.setup(() => async () => {
    restore()
    await turn()
    await db.from('samples').delete()
  })

  test('[P8] writes of any kind in the function are stored by its commit', async ({ assert }) => {
    await inTransaction(db.connection(), async (trx) => {
      await trx.table('samples').insert(ROW)
      const more = { ...ROW, name: 'second' }
      await trx.insertQuery().table('samples').insert(more)
      await trx.rawQuery("update samples set name = 'third' where name = 'second'")
      await trx.knexClient('samples').insert({ ...ROW, name: 'fourth' })
      assert.lengthOf(await trx.from('samples'), 3)
    })
    assert.deepEqual(await names(), ['upstream', 'third', 'fourth'])
  })

  test('[P8] an error rolls back the transaction and releases the connection', async ({
    assert,
  }) => {
    const work = inTransaction(db.connection(), async (trx) => {
      await trx.table('samples').insert(ROW)
      throw new Error('no')
    })
    await assert.rejects(() => work, 'no')
    await turn()
    assert.equal(knexClient().pool.numUsed(), 0)
    assert.deepEqual(await names(), [])
  })

  test('if BEGIN fails, the function does not run, and the connection is released', async ({
    assert,
  }) => {
    response('BEGIN;', refuse)
    let isDone = false
    const work = inTransaction(db.connection(), async () => void (isDone = true))
    await assert.rejects(() => work, 'refused')
    await turn()
    assert.isFalse(isDone)
    assert.equal(knexClient().pool.numUsed(), 0)
  })

  test('the error of a refused COMMIT is thrown', async ({ assert }) => {
    response('COMMIT;', async (send) => {
      await send()
      throw new Error('refused')
    })
    await assert.rejects(() => inTransaction(db.connection(), async () => {}), 'refused')
  })

  test('[E1] a nested transaction is committed with the outer one, and can be rolled back alone', async ({
    assert,
  }) => {
    const heard: string[] = []
    await inTransaction(db.connection(), async (trx) => {
      await inTransaction(trx, async (inner) => {
        afterOutermostCommit(inner, () => heard.push('first'))
        await inner.table('samples').insert(ROW)
      })
      const undone = inTransaction(trx, async (inner) => {
        afterOutermostCommit(inner, () => heard.push('undone'))
        await inner.table('samples').insert({ ...ROW, name: 'undone' })
        throw new Error('no')
      })
      await undone.catch(() => {})
      await trx.transaction((inner) =>
        inner.transaction(async (innermost) => {
          afterOutermostCommit(innermost, () => heard.push('second'))
          await innermost.table('samples').insert({ ...ROW, name: 'second' })
        })
      )
      assert.deepEqual(heard, [])
    })
    assert.deepEqual(await names(), ['upstream', 'second'])
    assert.deepEqual(heard, ['first', 'second'])
  })
})
