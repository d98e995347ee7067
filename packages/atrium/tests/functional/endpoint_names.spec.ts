import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { call, del, get, patch, post } from '#tests/helpers/http'

test.group('Names of endpoint operations', (group) => {
  group.each.setup(async () => {
    await db.from('route_items').delete()
    await db
      .table('route_items')
      .multiInsert(
        Array.from({ length: 12 }, (_, index) => ({ id: index + 1, name: `item ${index + 1}` }))
      )
  })

  test('[S9] every operation responds at its configured name', async ({ assert }) => {
    const added = await post('/api/named-items/add', { name: 'new' })
    assert.equal(added.status, 201)
    assert.equal(added.headers.get('location'), `/api/named-items/fetch/${added.body.id}`)

    const fetched = await get('/api/named-items/fetch/2')
    assert.equal(fetched.body.name, 'item 2')
    const modified = await patch('/api/named-items/modify/2', { name: 'modified' })
    assert.equal(modified.status, 200)
    const removed = await del('/api/named-items/remove/3')
    assert.equal(removed.status, 200)
    const list = await get('/api/named-items/list')
    assert.equal(list.body.total_count, 12)
    assert.equal(list.body.data[1].name, 'modified')
  })

  test('[S9] a renamed operation does not exist at its default path', async ({ assert }) => {
    const calls = [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/1'],
      ['PATCH', '/1'],
      ['DELETE', '/1'],
    ]
    for (const [method, path] of calls) {
      const { status, body } = await call(method, `/api/named-items${path}`)
      assert.equal(status, 404, `${method} ${path}`)
      assert.equal(body.detail, 'There is no such endpoint')
    }
  })

  test('[S9, A24] operations without a name have their default path', async ({ assert }) => {
    const added = await post('/api/partly-named/add', { name: 'new' })
    assert.equal(added.status, 201)
    const posted = await post('/api/partly-named', { name: 'new' })
    assert.equal(posted.status, 405)
    const list = await get('/api/partly-named')
    assert.equal(list.status, 200)
    const read = await get('/api/partly-named/1')
    assert.equal(read.status, 200)
    const patched = await patch('/api/partly-named/1', { name: 'x' })
    assert.equal(patched.status, 200)
    const deleted = await del('/api/partly-named/1')
    assert.equal(deleted.status, 200)
    const purged = await del('/api/partly-named/db_delete/2')
    assert.equal(purged.status, 200)
  })

  test('[A24] db_delete can be renamed', async ({ assert }) => {
    const purged = await del('/api/purged/purge/1')
    assert.equal(purged.status, 200)
    const old = await del('/api/purged/db_delete/2')
    assert.equal(old.status, 404)
    assert.lengthOf(await db.from('route_items'), 11)
  })

  test('[S9, A24] read_paginated returns the list, starting with page 1', async ({ assert }) => {
    const { status, body } = await get('/api/named-items/paginate')

    assert.equal(status, 200)
    assert.lengthOf(body.data, 10)
    assert.deepEqual(
      { ...body, data: null },
      { data: null, total_count: 12, has_more: true, page: 1, items_per_page: 10 }
    )
  })

  test('[A24] read_paginated accepts the parameters of the list', async ({ assert }) => {
    const page = await get('/api/named-items/paginate?page=2&itemsPerPage=5&sort=-id')
    assert.deepEqual(
      page.body.data.map(({ id }: { id: number }) => id),
      [7, 6, 5, 4, 3]
    )
    const offset = await get('/api/named-items/paginate?offset=11')
    assert.deepEqual(offset.body, {
      data: [{ id: 12, name: 'item 12', note: null }],
      total_count: 12,
    })
    const wrong = await get('/api/named-items/paginate?page=0')
    assert.equal(wrong.status, 422)
  })

  test('[A24] read_paginated does not exist unless its name is configured', async ({ assert }) => {
    const response = await get('/api/route-items/paginate')
    assert.equal(response.status, 422)
    assert.include(response.body.detail, 'paginate')
  })
})
