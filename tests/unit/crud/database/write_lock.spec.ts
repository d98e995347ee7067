import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import sqlite3 from 'sqlite3'

/** Another process, as far as SQLite can tell: a connection of its own to the same file. */
function otherProcess(filename: string) {
  const connection = new sqlite3.Database(filename)
  const run = (sql: string) =>
    new Promise<string | undefined>((resolve) => {
      connection.exec(sql, (error: (Error & { code?: string }) | null) => resolve(error?.code))
    })
  return { run, close: () => new Promise((resolve) => connection.close(resolve)) }
}

test.group('SQLite write lock', () => {
  test('[P8] a transaction may write from its first statement on, whoever else writes', async ({
    assert,
  }) => {
    const [{ file }] = await db.rawQuery('pragma database_list')
    const other = otherProcess(file)
    await db.transaction(async (client) => {
      await client.from('films').count('* as total')
      assert.equal(await other.run('begin immediate'), 'SQLITE_BUSY')
    })
    assert.isUndefined(await other.run('begin immediate; rollback'))
    await other.close()
  })
})
