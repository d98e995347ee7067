import type { Database } from '@adonisjs/lucid/database'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DatabaseCheck } from '#admin/health/database_check'

test.group('DatabaseCheck', () => {
  test('a database with all its migrations is ready', async ({ assert }) => {
    const [{ name }] = await db.from('adonis_schema').select('name').limit(1)
    const check = new DatabaseCheck(db, db.primaryConnectionName, async () => [name])
    const { status } = await check.run()
    assert.equal(status, 'ok')
  })

  test('pending migrations of a database are listed', async ({ assert }) => {
    const check = new DatabaseCheck(db, db.primaryConnectionName, async () => ['add_moons'])
    const { status, message } = await check.run()
    assert.equal(status, 'error')
    assert.include(message, 'add_moons')
  })

  test('a database that does not respond in time fails the check', async ({ assert }) => {
    const silent = {
      dialect: { name: 'sqlite3' },
      debug: true,
      rawQuery: () => new Promise(() => {}),
    }
    const hanging = {
      connection: () => silent,
      getRawConnection: () => ({ config: {} }),
    } as unknown as Database
    const check = new DatabaseCheck(hanging, 'far', async () => [], { timeout: 1 })
    const { status, meta } = await check.run()
    assert.equal(status, 'error')
    assert.include(meta!.error.message, 'No response within 1 ms')
  })
})
