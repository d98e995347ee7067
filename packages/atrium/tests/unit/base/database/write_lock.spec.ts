import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { inTransaction } from '#base/database/transaction'
import { unavailability } from '#base/database/unavailable'
import { MAIN } from '#tests/helpers/databases'
import { lockableFile, otherProcess, SQLITE_DRIVERS } from '#tests/helpers/other_process'

test.group('SQLite write lock', () => {
  test('[P8] a transaction can write from its first statement on, whatever other transactions write', async ({
    assert,
    cleanup,
  }) => {
    const [{ file }] = await db.rawQuery('pragma database_list')
    const other = otherProcess(MAIN === 'better-sqlite3' ? MAIN : 'sqlite3', file)
    cleanup(async () => void (await other.close()))
    await db.transaction(async (client) => {
      await client.from('reels').count('* as total')
      assert.equal(await other.run('begin immediate'), 'SQLITE_BUSY')
    })
    assert.isUndefined(await other.run('begin immediate; rollback'))
  })

  test('[A29] waiting too long for the lock is reported as busy')
    .with(SQLITE_DRIVERS)
    .run(async ({ assert, cleanup }, driver) => {
      const { connection: name, other } = await lockableFile(driver, cleanup, { timeout: 200 })
      await db.connection(name).rawQuery('create table notes (text)')
      const write = () =>
        inTransaction(db.connection(name), (client) =>
          client.rawQuery("insert into notes values ('x')")
        )

      await other.run('begin immediate')
      let turns = 0
      const timer = setInterval(() => turns++, 5)
      const error = await write().catch((reason) => reason)
      clearInterval(timer)
      assert.equal(unavailability(error), 'busy')
      assert.isAbove(turns, 5, 'the server goes on meanwhile')

      const late = write()
      await other.run('rollback')
      await late
      assert.lengthOf(await db.connection(name).rawQuery('select * from notes'), 1)
    })
})
