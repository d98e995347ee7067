import { test } from '@japa/runner'
import { refuseUndoneCommit } from '#upstream/knex_postgres_commit'
import { onPostgres } from '#tests/helpers/databases'
import { asItComes, withDriver, type Change } from '#tests/helpers/plain_driver'

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
      await commitFailed(refuseUndoneCommit),
      /The transaction was rolled back, as one of its statements had failed$/
    )
  })
})
