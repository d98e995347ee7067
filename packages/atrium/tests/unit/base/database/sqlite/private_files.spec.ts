import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { sqliteConnections, type SqliteDriver } from '#base/database/sqlite/sqlite_connection'

const PARTS = ['', '-wal', '-shm']

test.group('Files of SQLite', (group) => {
  let folder: string

  group.each.setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-private-'))
    const umask = process.umask(0)
    return async () => {
      process.umask(umask)
      for (const name of ['private', 'private_readers']) await db.manager.close(name, true)
      rmSync(folder, { recursive: true })
    }
  })

  /** Writes a row and returns the mode of each file while the connections are open. */
  async function modes(driver: SqliteDriver, shared = false) {
    const filename = join(folder, 'db.sqlite3')
    const configs = sqliteConnections('private', filename, { migrations: [], driver, shared })
    for (const [name, config] of Object.entries(configs)) db.manager.add(name, config)
    const client = db.connection('private')
    await client.rawQuery('create table if not exists notes (text text)')
    await client.table('notes').insert({ text: 'one' })
    await db.connection('private_readers').from('notes')
    return PARTS.map((part) => (statSync(filename + part).mode & 0o777).toString(8))
  }

  for (const driver of ['sqlite3', 'better-sqlite3'] as const) {
    test(`[B1] new database files are readable only by the process's user: ${driver}`, async ({
      assert,
    }) => {
      assert.deepEqual(await modes(driver), ['600', '600', '600'])
    })

    test(`[B1] existing database files are made readable only by the process's user: ${driver}`, async ({
      assert,
    }) => {
      const filename = join(folder, 'db.sqlite3')
      writeFileSync(filename, '')
      chmodSync(filename, 0o664)
      assert.deepEqual(await modes(driver), ['600', '600', '600'])
    })

    test(`[B1] database files that other users may read keep their mode: ${driver}`, async ({
      assert,
    }) => {
      const filename = join(folder, 'db.sqlite3')
      writeFileSync(filename, '')
      chmodSync(filename, 0o660)
      assert.deepEqual(await modes(driver, true), ['660', '660', '660'])
    })
  }

  test("[B1] existing log files of SQLite are made readable only by the process's user", async ({
    assert,
  }) => {
    await modes('sqlite3')
    for (const part of PARTS) chmodSync(join(folder, `db.sqlite3${part}`), 0o644)
    const again = sqliteConnections('private_again', join(folder, 'db.sqlite3'), { migrations: [] })
    db.manager.add('private_again', again.private_again)
    await db.connection('private_again').from('notes')
    for (const part of PARTS) {
      assert.equal(statSync(join(folder, `db.sqlite3${part}`)).mode & 0o777, 0o600)
    }
    await db.manager.close('private_again', true)
  })
})
