/* Settings of a driver's connections. */
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { inTransaction } from '#base/database/transaction'
import { onMysql, onPostgres, onSqlite } from '#tests/helpers/databases'
import { plainConnection } from '#tests/helpers/plain_connection'

async function firstRow(sql: string): Promise<Record<string, unknown>> {
  const result = await db.rawQuery(sql)
  const rows = onPostgres ? result.rows : onMysql ? result[0] : result
  return rows[0]
}

test.group('A connection to a server', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.tap((one) => one.skip(onSqlite, 'no server'))

  test('[A20] a server returns values in the same formats as SQLite', async ({ assert }) => {
    const moment = onPostgres ? 'timestamptz' : 'datetime'
    const big = onPostgres ? 'bigint' : 'signed'
    const row = await firstRow(
      `select cast('2024-02-29 10:00:00' as ${moment}) as moment, cast('2024-02-29' as date) as day,
        cast(12 as ${big}) as small, cast('9007199254740993' as ${big}) as big,
        cast(1.50 as decimal(8, 2)) as price,
        cast('1234567890123456.78' as decimal(20, 2)) as debt`
    )
    assert.deepEqual(row, {
      moment: '2024-02-29 10:00:00',
      day: '2024-02-29',
      small: 12,
      big: '9007199254740993',
      price: 1.5,
      debt: '1234567890123456.78',
    })
  })

  test('[K5.6] a commit after a failed statement is an error on an ordinary connection too', async ({
    assert,
    cleanup,
  }) => {
    const name = 'ordinary'
    db.manager.add(name, plainConnection())
    cleanup(() => db.manager.close(name, true))
    const write = inTransaction(db.connection(name), async (client) => {
      await client.rawQuery('select 1 / 0').catch(() => {})
    })
    await assert.rejects(() => write, /aborted/)
  }).skip(!onPostgres, 'others go on after a failed statement')

  test('[A20] a JSON document is returned as text with all digits of its numbers', async ({
    assert,
  }) => {
    const text = '{"n": 9007199254740993}'
    await db.table('samples').insert({ name: 'x', data: text, created_at: '2024-01-01 00:00:00' })
    const { data } = await db.from('samples').where('name', 'x').select('data').firstOrFail()
    await db.from('samples').delete()
    assert.strictEqual(data, text)
  })

  test('[A20] a float of 16 digits is returned as it is stored', async ({ assert }) => {
    const ratios = [
      902657281037.2527, -902657281037.2527, 9007199254740.995, 1.7976931348623157e308,
    ]
    await db
      .table('samples')
      .multiInsert(ratios.map((ratio) => ({ name: 'x', ratio, created_at: '2024-01-01 00:00:00' })))
    const stored = await db.from('samples').where('name', 'x').select('ratio').orderBy('id')
    await db.from('samples').delete()
    assert.deepEqual(
      stored.map(({ ratio }) => ratio),
      ratios
    )
  })

  test('[A20] the session time zone is UTC, whatever that of the server is', async ({ assert }) => {
    const { zone } = await firstRow(
      onPostgres ? "select current_setting('TimeZone') as zone" : 'select @@time_zone as zone'
    )
    assert.match(String(zone), /^(?:UTC|\+00:00)$/)
  })

  test('waiting for a database lock ends after five seconds', async ({ assert }) => {
    const { timeout } = await firstRow(
      onPostgres
        ? "select current_setting('lock_timeout') as timeout"
        : 'select @@innodb_lock_wait_timeout as timeout'
    )
    assert.match(String(timeout), /^5s?$/)
  })

  test('[A29] a database error in the log contains no row and no statement', async ({ assert }) => {
    const row = { name: 'x', code: 'sesame', status: 'lost', created_at: '2024-01-01 00:00:00' }
    const error = await db
      .table('samples')
      .insert(row)
      .then(
        () => null,
        (invalid: object) => invalid
      )
    assert.isNotNull(error)
    const logged = Object.entries(error!).filter(([name]) => name !== 'message')
    assert.notInclude(JSON.stringify(logged), 'sesame')
  })
})

test.group('A connection to PostgreSQL', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.tap((one) => one.skip(!onPostgres, 'only there a COMMIT may undo'))

  test('[E1] a COMMIT that rolls back because of a failed statement is an error', async ({
    assert,
  }) => {
    await db.from('crud_doors').delete()
    await assert.rejects(
      () =>
        inTransaction(db.connection(), async (client) => {
          await client.table('crud_doors').insert({ name: 'one' })
          await client.rawQuery('select nothing').catch(() => {})
        }),
      /was rolled back/
    )
    assert.isEmpty(await db.from('crud_doors'))
  })
})
