import { test } from '@japa/runner'
import { dropErrorDetails, hideErrorStatements } from '#upstream/driver_error_values'
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
    const error = (await twice(dropErrorDetails)) as any
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
    const error = (await twice(hideErrorStatements)) as any
    assert.equal(error.code, 'ER_DUP_ENTRY')
    assert.notInclude(JSON.stringify(error), 'insert into')
    assert.include(error.sql, 'insert into')
  })
})

test.group('Patched statements of drivers', () => {
  test('database calls without a callback, and successful calls, are unchanged by the patches', ({
    assert,
  }) => {
    for (const change of [dropErrorDetails, hideErrorStatements]) {
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
