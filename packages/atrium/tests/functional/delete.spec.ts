import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { del, get, post } from '#tests/helpers/http'

const UTENSIL = { name: 'Lamp', description: '', category: '', price: 1 }

test.group('Delete', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(async () => {
    for (const table of ['utensils', 'samples', 'jottings']) await db.from(table).delete()
  })

  test('[A3] delete and db_delete return 200 with null', async ({ assert }) => {
    for (const path of ['/api/samples', '/api/samples/db_delete']) {
      const { body } = await post('/api/samples', { name: 'one' })
      const response = await del(`${path}/${body.id}`)
      assert.equal(response.status, 200)
      assert.equal(response.text, 'null')
      assert.match(response.headers.get('content-type')!, /^application\/json/)
    }
    assert.lengthOf(await db.from('samples'), 0)
  })

  test('[S14] delete marks an active item deleted, with the timestamp', async ({ assert }) => {
    const { body } = await post('/api/utensils', UTENSIL)
    await del(`/api/utensils/${body.id}`)
    const [row] = await db.from('utensils')
    assert.equal(row.is_deleted, 1)
    assert.isAbove(Date.parse(`${row.deleted_at}Z`), Date.now() - 60_000)
    assert.equal(row.name, 'Lamp')
    const read = await get(`/api/utensils/${body.id}`)
    assert.equal(read.status, 404)
  })

  test('[S14] db_delete removes an active item', async ({ assert }) => {
    const { body } = await post('/api/utensils', UTENSIL)
    await del(`/api/utensils/db_delete/${body.id}`)
    assert.lengthOf(await db.from('utensils'), 0)
  })

  test('[S14] without soft deletion, delete removes the item', async ({ assert }) => {
    const { body } = await post('/api/jottings', { title: 'a' })
    const response = await del(`/api/jottings/${body.id}`)
    assert.equal(response.status, 200)
    assert.lengthOf(await db.from('jottings'), 0)
  })

  test('[S4, S14] soft deletion uses the columns that the options name: {mount}')
    .with([{ mount: 'jottings-by-crud' }, { mount: 'jottings-by-call' }])
    .run(async ({ assert }, { mount }) => {
      const { body } = await post(`/api/${mount}`, { title: 'a' })
      assert.deepInclude(body, { is_removed: false, removed_at: null })
      await del(`/api/${mount}/${body.id}`)
      const [row] = await db.from('jottings')
      assert.equal(row.is_removed, 1)
      assert.isNotNull(row.removed_at)
      const read = await get(`/api/${mount}/${body.id}`)
      assert.equal(read.status, 404)
      const list = await get(`/api/${mount}`)
      assert.equal(list.body.total_count, 0)
      await del(`/api/${mount}/db_delete/${body.id}`)
      assert.lengthOf(await db.from('jottings'), 0)
    })

  test('[S4] configured soft-delete columns are not fields of a derived body', async ({
    assert,
  }) => {
    const names = { is_removed: true, removed_at: '2020-01-01', changed_at: '2020-01-01' }
    const { body } = await post('/api/jottings-by-crud', { title: 'a', ...names })
    assert.deepInclude(body, { is_removed: false, removed_at: null, changed_at: null })
    const plain = await post('/api/jottings', { title: 'b', ...names })
    assert.deepInclude(plain.body, { is_removed: true, removed_at: '2020-01-01 00:00:00' })
  })
})
