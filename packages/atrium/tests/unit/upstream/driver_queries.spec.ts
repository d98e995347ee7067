import { test } from '@japa/runner'
import { repairMysqlQueries, repairPostgresQueries } from '#upstream/driver_queries'
import { onMysql, onPostgres } from '#tests/helpers/databases'
import { asItComes, withDriver, type Change } from '#tests/helpers/plain_driver'

/** The driver's error for a duplicate key. */
const twice = (change: Change) =>
  withDriver(change, async (knex) => {
    await knex.raw('create temporary table secrets (word varchar(20) primary key)')
    await knex('secrets').insert({ word: 'confidential' })
    return await knex('secrets')
      .insert({ word: 'confidential' })
      .then(
        () => ({}),
        (error: object) => error
      )
  })

test.group('Errors of pg', (group) => {
  group.tap((one) => one.skip(!onPostgres, 'no PostgreSQL'))

  test('an error of pg by itself still contains values of the row', async ({ assert }) => {
    assert.include(((await twice(asItComes)) as any).detail, 'confidential')
  })

  test('the patch removes the details that contain values of the row', async ({ assert }) => {
    const error = (await twice(repairPostgresQueries)) as any
    assert.equal(error.code, '23505')
    assert.notProperty(error, 'detail')
  })
})

test.group('Errors of mysql2', (group) => {
  group.tap((one) => one.skip(!onMysql, 'no MySQL'))

  test('an error of mysql2 by itself still contains values of the row', async ({ assert }) => {
    assert.include(JSON.stringify(await twice(asItComes)), 'insert into')
  })

  test('the patch hides the statement of a MySQL error when the error is logged', async ({
    assert,
  }) => {
    const error = (await twice(repairMysqlQueries)) as any
    assert.equal(error.code, 'ER_DUP_ENTRY')
    assert.notInclude(JSON.stringify(error), 'insert into')
    assert.include(error.sql, 'insert into')
  })
})

/** The end of a knex transaction with a failed statement. */
const commitFailed = (change: Change) =>
  withDriver(change, async (knex) => {
    const transaction = await knex.transaction()
    await transaction.raw('select no_such_column').catch(() => {})
    await transaction.commit()
    return await transaction.executionPromise.then(
      () => 'committed',
      (error: Error) => error.message
    )
  })

test.group('A COMMIT that PostgreSQL executes as a ROLLBACK', (group) => {
  group.tap((one) => one.skip(!onPostgres, 'no PostgreSQL'))

  test('knex still treats a COMMIT that was rolled back as successful', async ({ assert }) => {
    assert.equal(await commitFailed(asItComes), 'committed')
  })

  test('with the patch a COMMIT that was rolled back is an error', async ({ assert }) => {
    assert.match(
      await commitFailed(repairPostgresQueries),
      /The transaction was rolled back, as one of its statements had failed$/
    )
  })
})

test.group('Patched statements of drivers', () => {
  test('database calls without a callback, and successful calls, are unchanged by the patches', ({
    assert,
  }) => {
    for (const change of [repairPostgresQueries, repairMysqlQueries]) {
      const connection = {
        query: (statement: unknown, callback?: (...given: unknown[]) => void) => {
          callback?.(null, { command: 'SELECT' })
          return statement
        },
      }
      change(connection)
      const heard: unknown[] = []
      assert.equal(connection.query('select 1'), 'select 1')
      assert.equal(
        connection.query('select 2', (...given) => heard.push(...given)),
        'select 2'
      )
      assert.deepEqual(heard, [null, { command: 'SELECT' }])
    }
  })
})
