import type { Database } from '@adonisjs/lucid/database'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { connectionWarnings, otherZone } from '#host/connection_warnings'

/** A database whose sessions are an hour off UTC */
function databaseOf(client: string, connection: object): Database {
  const row = { seconds: 3600 }
  const rawQuery = async () => (client === 'pg' ? { rows: [row] } : [[row]])
  return {
    getRawConnection: () => ({ config: { client, connection } }),
    connection: () => ({ rawQuery }),
  } as unknown as Database
}

test.group('Settings of connections', () => {
  test('[K5.6] the connections of adonis-atrium/database need no change', async ({ assert }) => {
    assert.deepEqual(await connectionWarnings(db, db.primaryConnectionName), [])
  })

  test('[K5.6] {client}: a session in another zone is named, and rounded integers')
    .with([
      { client: 'pg', connection: {}, expected: ['not UTC'] },
      { client: 'mysql2', connection: {}, expected: ['not UTC', 'supportBigNumbers'] },
      { client: 'mysql2', connection: { supportBigNumbers: true }, expected: ['not UTC'] },
      { client: 'better-sqlite3', connection: {}, expected: [] },
    ])
    .run(async ({ assert }, { client, connection, expected }) => {
      const warnings = await connectionWarnings(databaseOf(client, connection), 'main')
      assert.lengthOf(warnings, expected.length)
      for (const [index, part] of expected.entries()) assert.include(warnings[index], part)
    })

  test('[K5.6] a process outside of UTC is named', ({ assert, cleanup }) => {
    const { TZ } = process.env
    cleanup(() => {
      process.env.TZ = TZ
    })
    assert.isUndefined(otherZone())
    process.env.TZ = 'Europe/London'
    assert.equal(otherZone(), 'Europe/London')
  })
})
