import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { dialectOf } from '#base/database/dialects'
import { lockableFile, SQLITE_DRIVERS } from '#tests/helpers/other_process'

test.group('Query plans of SQLite', () => {
  test('[G6] a connection that has read a query plan sees rows that are written later: {$self}')
    .with(SQLITE_DRIVERS)
    .run(async ({ assert, cleanup }, driver) => {
      const { connection, other } = await lockableFile(driver, cleanup)
      const client = db.connection(connection)
      await client.rawQuery('create table boxes (id integer primary key, label text)')
      const statement = { sql: 'select * from boxes where label = ?', bindings: ['a'] }
      const dialect = dialectOf(client)
      /* More than there are connections for reading */
      const onEach = async <Result>(run: () => Promise<Result>) =>
        await Promise.all(Array.from({ length: 12 }, run))
      const plans = await onEach(() => dialect.planOf(client, statement))
      for (const plan of plans) assert.match(plan[0], /SCAN boxes/)
      const read = () => dialect.selectRows(client, 'select * from boxes', [])
      await onEach(read)
      assert.isUndefined(await other.run("insert into boxes (label) values ('a')"))
      const lists = await onEach(read)
      for (const rows of lists) assert.lengthOf(rows, 1)
    })
})
