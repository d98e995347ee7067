import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { Column } from '#base/columns/column'
import { dialectOf } from '#base/database/dialects'
import { insertRow } from '#tests/helpers/databases'

test.group('Generated keys', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    /* Without the trigger of the fixtures' tables, by which PostgreSQL follows given keys */
    await db.connection().schema.createTable('given_keys', (table) => {
      table.increments('id')
      table.string('name')
    })
    return () => db.connection().schema.dropTable('given_keys')
  })

  test('[D3] follow the keys that an import gave', async ({ assert }) => {
    const client = db.connection()
    const follow = async () =>
      dialectOf(client).followGivenKeys?.(client, 'given_keys', { name: 'id' } as Column)
    await db.table('given_keys').multiInsert([{ id: 7, name: 'a' }])
    await follow()
    const next = await insertRow('given_keys', { name: 'b' })
    assert.isAbove(next, 7)
    await follow()
    assert.isAbove(await insertRow('given_keys', { name: 'c' }), next)
  })
})
