import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { LucidCrud, Problem } from '#crud'
import { addTrigger, each, onMysql, onPostgres, onSqlite } from '#tests/helpers/databases'

const TABLE = 'refused_writes'

/** A class of its own for each test: triggers are looked up once per model. */
function crudOf(table = TABLE) {
  class Refused extends BaseModel {
    static table = table

    @column({ isPrimary: true })
    declare id: number

    @column()
    declare name: string
  }
  return new LucidCrud(Refused)
}

async function problemOf(call: Promise<unknown>): Promise<Problem> {
  const outcome = await call.catch((error) => error)
  if (!(outcome instanceof Problem)) throw outcome ?? new Error('not refused')
  return outcome
}

async function rowsOf(table = TABLE) {
  return await db.from(table).orderBy('id')
}

/** The statement of a trigger that raises an error */
function raising(message: string, code = '45000') {
  return each({
    sqlite: `select raise(abort, '${message}')`,
    postgres: `raise exception '${message}' using errcode = '${code}'`,
    mysql: `signal sqlstate '${code}' set message_text = '${message}'`,
  })
}

test.group('Writes that the database rejects', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    await db.connection().schema.createTable(TABLE, (table) => {
      table.increments('id')
      table.string('name', 20)
    })
    await db.table(TABLE).multiInsert([{ name: 'one' }, { name: 'two' }])
    return async () => {
      await db.rawQuery(`drop view if exists ${TABLE}_view`)
      await db.connection().schema.dropTable(TABLE)
    }
  })

  test('returns 422 with the message of a trigger that rejects the write: {event}, {code}')
    .with([
      { event: 'insert', code: '45000' },
      { event: 'update', code: 'ZX007' },
      { event: 'delete', code: '45123' },
    ] as const)
    .run(async ({ assert }, { event, code }) => {
      const message = 'Stock is too low - order 5, or fewer: 50 %'.replace(
        '%',
        onPostgres ? '%%' : '%'
      )
      await addTrigger(TABLE, `before ${event}`, raising(message, code))
      const crud = crudOf()
      const rows = await rowsOf()
      const writes = {
        insert: () => crud.create({ name: 'x' }),
        update: () => crud.update(rows[0].id, { name: 'x' }),
        delete: () => crud.delete(rows[0].id),
      }
      const problem = await problemOf(writes[event]())
      assert.equal(problem.status, 422)
      assert.equal(problem.message, 'Stock is too low - order 5, or fewer: 50 %')
      assert.deepEqual(await rowsOf(), rows)
      /* The connection goes on. */
      await db.table(TABLE).knexQuery.client.raw('select 1')
    })

  test('returns 422 with the message of a trigger that rolls back by itself', async ({
    assert,
  }) => {
    await addTrigger(TABLE, 'before insert', "select raise(rollback, 'never')")
    const problem = await problemOf(crudOf().create({ name: 'x' }))
    assert.equal(problem.status, 422)
    assert.equal(problem.message, 'never')
    await db.rawQuery('drop trigger on_write')
    const { name } = await crudOf().create({ name: 'next' })
    assert.equal(name, 'next')
  }).skip(!onSqlite, 'other databases leave the transaction to the client')

  test('returns 409 when a trigger skips the write: {event}')
    .with([{ event: 'insert' }, { event: 'update' }, { event: 'delete' }] as const)
    .run(async ({ assert }, { event }) => {
      if (onMysql) return
      const skip = each({ sqlite: 'select raise(ignore)', postgres: 'return null', mysql: '' })
      await addTrigger(TABLE, `before ${event}`, skip)
      const crud = crudOf()
      const rows = await rowsOf()
      const [{ id }] = rows
      const writes = {
        insert: () => crud.create({ name: 'x' }),
        update: () => crud.update(id, { name: 'x' }),
        delete: () => crud.delete(id),
      }
      const problem = await problemOf(writes[event]())
      assert.equal(problem.status, 409)
      assert.equal(problem.message, 'The database skipped this write, so nothing was changed')
      assert.deepEqual(await rowsOf(), rows)
    })

  test('returns 409 when a rule replaces the write by nothing: {event}')
    .with([{ event: 'insert' }, { event: 'update' }, { event: 'delete' }] as const)
    .run(async ({ assert }, { event }) => {
      await db.rawQuery(`create rule nothing as on ${event} to ${TABLE} do instead nothing`)
      const crud = crudOf()
      const rows = await rowsOf()
      const [{ id }] = rows
      const writes = {
        insert: () => crud.create({ name: 'x' }),
        update: () => crud.update(id, { name: 'x' }),
        delete: () => crud.delete(id),
      }
      const { status } = await problemOf(writes[event]())
      assert.equal(status, 409)
      assert.deepEqual(await rowsOf(), rows)
    })
    .skip(!onPostgres, 'only PostgreSQL has rules')

  test('returns 409 when a trigger removes the new row', async ({ assert }) => {
    const body = each({
      sqlite: `delete from ${TABLE} where id = new.id`,
      postgres: `delete from ${TABLE} where id = new.id; return null`,
      mysql: '',
    })
    await addTrigger(TABLE, 'after insert', body)
    const { status } = await problemOf(crudOf().create({ name: 'x' }))
    assert.equal(status, 409)
    assert.lengthOf(await rowsOf(), 2)
  }).skip(onMysql, 'triggers of MySQL do not write to their own table')

  test('returns 405 for a write to a view', async ({ assert }) => {
    const view = `${TABLE}_view`
    await db.rawQuery(`create view ${view} as select distinct id, name from ${TABLE}`)
    const crud = crudOf(view)
    const [{ id }] = await rowsOf()
    for (const write of [
      () => crud.create({ name: 'x' }),
      () => crud.update(id, { name: 'x' }),
      () => crud.delete(id),
    ]) {
      const { status } = await problemOf(write())
      assert.equal(status, 405)
    }
  })

  test('returns 422 for a value that a strict column rejects', async ({ assert }) => {
    await db.rawQuery('create table strict_rows (id integer primary key, name blob) strict')
    const problem = await problemOf(crudOf('strict_rows').create({ name: 'x' }))
    await db.rawQuery('drop table strict_rows')
    assert.equal(problem.status, 422)
    assert.deepEqual(
      problem.errors!.map(({ field }) => field),
      ['name']
    )
  }).skip(!onSqlite, 'only SQLite has such tables')
})
