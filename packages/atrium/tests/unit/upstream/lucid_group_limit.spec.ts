import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { Choir } from '#tests/fixtures/choirs'
import { groupLimitOf } from '#upstream/lucid_group_limit'

test.group("Group limit of a relation's query", () => {
  test('the query of a relation tells its limit and order', ({ assert }) => {
    const relation = Choir.$getRelation('lowest')!
    relation.boot()
    const query = relation.eagerQuery([{ id: 1 }] as never, db.connection()) as never
    assert.deepEqual(groupLimitOf(query), {
      limit: 2,
      orderBy: { column: 'voice', direction: 'asc' },
    })
  })
})
