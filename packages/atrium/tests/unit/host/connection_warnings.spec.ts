import type { Database } from '@adonisjs/lucid/database'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { connectionWarnings, otherZone } from '#host/findings'

/** A database whose sessions are an hour off UTC, and without foreign keys on SQLite */
function databaseOf(client: string): Database {
  const row = { seconds: 3600, foreign_keys: 0 }
  const results: Record<string, unknown> = { pg: { rows: [row] }, mysql2: [[row]] }
  const rawQuery = async () => results[client] ?? [row]
  return {
    getRawConnection: () => ({ config: { client } }),
    connection: () => ({ rawQuery }),
  } as unknown as Database
}

test.group('Connection settings', () => {
  test('[K5.7] the connections of adonis-atrium/database cause no warning', async ({ assert }) => {
    assert.deepEqual(await connectionWarnings(db, db.primaryConnectionName), [])
  })

  test(
    '[K5.7] a connection in another time zone, or without foreign keys, causes a warning: {client}'
  )
    .with([
      { client: 'pg', expected: ['not UTC'] },
      { client: 'mysql2', expected: ['not UTC'] },
      { client: 'better-sqlite3', expected: ['foreign keys'] },
    ])
    .run(async ({ assert }, { client, expected }) => {
      const warnings = await connectionWarnings(databaseOf(client), 'main')
      assert.lengthOf(warnings, expected.length)
      for (const [index, part] of expected.entries()) assert.include(warnings[index], part)
    })

  test('[K5.7] a process in a time zone other than UTC causes a warning', ({ assert, cleanup }) => {
    const { TZ } = process.env
    cleanup(() => {
      process.env.TZ = TZ
    })
    assert.isUndefined(otherZone())
    process.env.TZ = 'Europe/London'
    assert.equal(otherZone(), 'Europe/London')
  })
})
