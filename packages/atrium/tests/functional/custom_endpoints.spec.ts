import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { call, del, get, patch, post } from '#tests/helpers/http'

const BASE = '/api/route-words'

test.group('Custom endpoints', (group) => {
  group.each.setup(async () => {
    await db.from('route_words').delete()
    await db.table('route_words').multiInsert([
      { word: 'custom', meaning: 'a word' },
      { word: 'other', meaning: 'another' },
    ])
  })

  test('[S10, P11, A27] GET /custom calls the custom route, and is never read as an id', async ({
    assert,
  }) => {
    const response = await get(`${BASE}/custom`)
    assert.equal(response.status, 200)
    assert.deepEqual(response.body, { custom: true })
    assert.match(response.headers.get('content-type')!, /^application\/json/)
    const item = await get(`${BASE}/other`)
    assert.equal(item.body.word, 'other')
  })

  test('[A27, A25] HEAD is supported by a custom route, and other methods of its path match the item with that key', async ({
    assert,
  }) => {
    const head = await call('HEAD', `${BASE}/custom`)
    assert.equal(head.status, 200)
    assert.equal(head.headers.get('content-length'), String('{"custom":true}'.length))

    const patched = await patch(`${BASE}/custom`, { meaning: 'new' })
    assert.equal(patched.status, 200)
    assert.lengthOf(await db.from('route_words').where('meaning', 'new'), 1)
  })

  test('[P11, A27] a custom route can send its response itself, and have middleware', async ({
    assert,
  }) => {
    const response = await post(`${BASE}/custom/x%2Fy`, {})
    assert.equal(response.status, 202)
    assert.equal(response.text, 'by hand: x/y')
    assert.equal(response.headers.get('x-passed'), 'custom')
  })

  test('[P11] a handler that returns null sends the JSON null', async ({ assert }) => {
    const response = await get(`${BASE}/nothing`)
    assert.equal(response.status, 200)
    assert.equal(response.text, 'null')
  })

  test('[P11, S10] a handler can be overridden and can call the original', async ({ assert }) => {
    const response = await del(`${BASE}/other`)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('x-deleted-by'), 'an overridden handler')
    assert.deepEqual(await db.from('route_words').select('word'), [{ word: 'custom' }])
    const purged = await del(`${BASE}/db_delete/custom`)
    assert.isNull(purged.headers.get('x-deleted-by'))
  })

  test('[P11] the database methods of a handler can be overridden', async ({ assert }) => {
    const response = await get(`${BASE}/other`)
    assert.equal(response.body.meaning, 'overridden: another')
    const missing = await get(`${BASE}/missing`)
    assert.equal(missing.status, 404)
    const list = await get(BASE)
    assert.equal(list.body.data[1].meaning, 'another')
  })

  test('[P11] every handler can be overridden and receives only the context')
    .with([
      ['createItem', 'POST', ''],
      ['readItem', 'GET', '/1'],
      ['readItems', 'GET', ''],
      ['updateItem', 'PATCH', '/1'],
      ['deleteItem', 'DELETE', '/1'],
      ['dbDelete', 'DELETE', '/db_delete/1'],
    ])
    .run(async ({ assert }, [name, method, path]) => {
      const response = await call(method, `/api/handlers${path}`)
      assert.equal(response.headers.get('x-overridden'), `${name} 1 /api/handlers${path}`)
      assert.equal(response.text, 'null')
    })

  test('[P11] every database method of the handlers can be overridden')
    .with([
      ['insertItem', 'POST', '', 2],
      ['fetchItem', 'GET', '/1', 3],
      ['fetchItems', 'GET', '', 2],
      ['changeItem', 'PATCH', '/1', 4],
      ['removeItem', 'DELETE', '/1', 2],
      ['purgeItem', 'DELETE', '/db_delete/1', 2],
    ] as const)
    .run(async ({ assert }, [name, method, path, count]) => {
      const json = method === 'POST' || method === 'PATCH' ? { name: 'x' } : undefined
      const response = await call(method, `/api/questions${path}`, { json })
      assert.equal(response.headers.get('x-overridden'), `${name} ${count} /api/questions${path}`)
    })

  test('[S10] if addRoutesToRouter does not call super, only custom routes exist', async ({
    assert,
  }) => {
    const response = await get('/api/only-custom/42')
    assert.deepEqual(response.body, { anything: '42' })
    const list = await get('/api/only-custom')
    assert.equal(list.status, 404)
    const patched = await patch('/api/only-custom/42', {})
    assert.equal(patched.headers.get('allow'), 'GET, HEAD, OPTIONS')
  })
})
