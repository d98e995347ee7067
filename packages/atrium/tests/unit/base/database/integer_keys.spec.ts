import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { Column } from '#base/columns/column'
import { dialectOf } from '#base/database/dialects'
import { insertRow } from '#tests/helpers/databases'

const KEY = { name: 'id', kind: 'integer', sqlType: 'integer', isText: false } as Column

test.group('Integer keys', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    /* Without the trigger of the fixtures' tables, by which PostgreSQL follows given keys */
    await db.connection().schema.createTable('given_keys', (table) => {
      table.increments('id')
      table.string('name')
    })
    return () => db.connection().schema.dropTable('given_keys')
  })

  test('[D3] new integer keys are higher than imported ones', async ({ assert }) => {
    const client = db.connection()
    const follow = async () => dialectOf(client).followGivenKeys?.(client, 'given_keys', KEY)
    await db.table('given_keys').multiInsert([{ id: 7, name: 'a' }])
    await follow()
    const next = await insertRow('given_keys', { name: 'b' })
    assert.isAbove(next, 7)
    await follow()
    assert.isAbove(await insertRow('given_keys', { name: 'c' }), next)
  })

  test('[A16] integer keys can be compared with numbers beyond 32 bits', async ({ assert }) => {
    const client = db.connection()
    await insertRow('given_keys', { name: 'a' })
    const { sql, bindings } = dialectOf(client).compare('given_keys', KEY, '<', 2 ** 40)
    const found = await client.from('given_keys').whereRaw(sql, bindings as any[])
    assert.lengthOf(found, 1)
  })
})
