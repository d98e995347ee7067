import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import BetterSqlite3 from 'better-sqlite3'
import sqlite3 from 'sqlite3'
import { sqliteConnections } from '#crud/database/sqlite/sqlite_connection'
import { inTransaction } from '#crud/database/transaction'
import { unavailability } from '#crud/database/unavailable'
import { MAIN } from '#tests/helpers/databases'

/** Simulates another process by a separate connection to the same file. */
function otherProcess(filename: string) {
  const connection = new sqlite3.Database(filename)
  const run = (sql: string) =>
    new Promise<string | undefined>((resolve) => {
      connection.exec(sql, (error: (Error & { code?: string }) | null) => resolve(error?.code))
    })
  return { run, close: () => new Promise((resolve) => connection.close(resolve)) }
}

/**
 * The drivers have separate SQLite libraries, which do not see each other's locks in one process.
 */
function otherBetterProcess(filename: string) {
  const connection = new BetterSqlite3(filename, { timeout: 0 })
  const run = async (sql: string): Promise<string | undefined> => {
    try {
      connection.exec(sql)
    } catch (error) {
      return (error as { code?: string }).code
    }
  }
  return { run, close: async () => void connection.close() }
}

const OTHERS = { 'sqlite3': otherProcess, 'better-sqlite3': otherBetterProcess }

test.group('SQLite write lock', () => {
  test('[P8] a transaction can write from its first statement on, despite other writers', async ({
    assert,
    cleanup,
  }) => {
    const [{ file }] = await db.rawQuery('pragma database_list')
    const other = OTHERS[MAIN === 'better-sqlite3' ? MAIN : 'sqlite3'](file)
    cleanup(async () => void (await other.close()))
    await db.transaction(async (client) => {
      await client.from('reels').count('* as total')
      assert.equal(await other.run('begin immediate'), 'SQLITE_BUSY')
    })
    assert.isUndefined(await other.run('begin immediate; rollback'))
  })

  test('[A29] waiting too long for the lock is reported as busy')
    .with(['sqlite3', 'better-sqlite3'] as const)
    .run(async ({ assert, cleanup }, driver) => {
      const folder = await mkdtemp(join(tmpdir(), 'atrium-lock-'))
      const file = join(folder, 'db.sqlite3')
      const connections = sqliteConnections('locked', file, {
        migrations: [],
        driver,
        timeout: 200,
      })
      db.manager.add('locked', connections.locked)
      const other = OTHERS[driver](file)
      cleanup(async () => {
        await other.close()
        await db.manager.release('locked')
        await rm(folder, { recursive: true })
      })
      await db.connection('locked').rawQuery('create table notes (text)')
      const write = () =>
        inTransaction(db.connection('locked'), (client) =>
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
      assert.lengthOf(await db.connection('locked').rawQuery('select * from notes'), 1)
    })
})
