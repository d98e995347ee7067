import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { call, del, get, patch, post } from '#tests/helpers/http'

async function clear() {
  for (const table of ['letters', 'memos', 'parcels']) await db.from(table).delete()
}

test.group('Strict query parameters', (group) => {
  group.setup(clear)
  group.each.setup(() => {
    app.config.set('crud.strictQuery', true)
    return async () => {
      app.config.set('crud.strictQuery', false)
      await clear()
    }
  })

  test('[A19] an unknown parameter of a list is 422 and suggests the most similar name: {query}')
    .with([
      { query: 'pgae=1', name: 'pgae', nearest: 'page' },
      { query: 'items_per_page=1', name: 'items_per_page', nearest: 'itemsPerPage' },
      { query: 'ofset=1', name: 'ofset', nearest: 'offset' },
      { query: 'limits=1', name: 'limits', nearest: 'limit' },
      { query: 'weight__gt=1', name: 'weight__gt', nearest: 'weight__gte' },
      { query: 'statuss=', name: 'statuss', nearest: 'status' },
      { query: 'titel[eq]=a', name: 'titel', nearest: 'title' },
      { query: 'page=1&Sort=title', name: 'Sort', nearest: 'sort' },
    ])
    .run(async ({ assert }, { query, name, nearest }) => {
      const { status, headers, body } = await get(`/api/parcels?${query}`)
      assert.equal(status, 422)
      assert.match(headers.get('content-type')!, /^application\/problem\+json/)
      assert.include(body.detail, `"${name}"`)
      assert.include(body.detail, `"${nearest}"`)
      assert.deepEqual(
        body.errors.map((error: { field: string }) => error.field),
        [name]
      )
    })

  test('[A19] a name that is longer than any known name gets no suggestion', async ({ assert }) => {
    const suggestion = async (length: number) => {
      const { status, body } = await get(`/api/parcels?${'x'.repeat(length)}=1`)
      assert.equal(status, 422)
      return body.detail.includes('did you mean')
    }
    assert.isTrue(await suggestion(200))
    assert.isFalse(await suggestion(201))
    assert.isFalse(await suggestion(12_000))
  })

  test("[A19] names of Object.prototype's members are unknown like any other")
    .with(['__proto__', 'constructor', 'toString', '', '[x]', "'", '--'])
    .run(async ({ assert }, name) => {
      const { status } = await get(`/api/parcels?${encodeURIComponent(name)}=1`)
      assert.equal(status, 422)
    })

  test('[A19] strictQuery accepts all known parameters', async ({ assert }) => {
    for (const path of [
      'parcels?page=1&itemsPerPage=5&title=a&status=&weight__gte=1&fragile=true&sort=x&deleted=y',
      'parcels?offset=0&limit=5',
      'letters?sort=-title&deleted=only',
      'memos?sort=id&',
      'memos',
    ]) {
      const { status } = await get(`/api/${path}`)
      assert.equal(status, 200, path)
    }
  })

  test('[A19, A22] deleted is a known parameter only for models that show deleted items', async ({
    assert,
  }) => {
    const statuses = []
    for (const path of ['memos', 'all-memos', 'letters']) {
      const { status } = await get(`/api/${path}?deleted=include`)
      statuses.push(status)
    }
    assert.deepEqual(statuses, [422, 200, 200])
  })

  test('[A19] reading an item accepts no parameter except deleted', async ({ assert }) => {
    const { body } = await post('/api/letters', { title: 'a' })
    const statuses = []
    for (const query of ['', 'deleted=include', 'page=1', 'title=a', 'sort=id']) {
      const { status } = await get(`/api/letters/${body.id}?${query}`)
      statuses.push(status)
    }
    assert.deepEqual(statuses, [200, 200, 422, 422, 422])
  })

  test('[A19] a write with any query parameter is refused', async ({ assert }) => {
    const { body } = await post('/api/letters', { title: 'a' })
    const responses = await Promise.all([
      post('/api/letters?x=1', { title: 'b' }),
      patch(`/api/letters/${body.id}?x=1`, { title: 'b' }),
      del(`/api/letters/${body.id}?x=1`),
    ])
    assert.deepEqual(
      responses.map((response) => response.status),
      [422, 422, 422]
    )
    const list = await get('/api/letters')
    assert.deepEqual(
      list.body.data.map((letter: { title: string }) => letter.title),
      ['a']
    )
  })

  test('[A19] by default unknown parameters are ignored', async ({ assert }) => {
    app.config.set('crud.strictQuery', false)
    const { body } = await post('/api/letters?x=1', { title: 'a' })
    for (const [method, path] of [
      ['GET', '/api/letters?pgae=1&x[y]=2&__proto__=3&constructor=4&x=1&x=2&'],
      ['HEAD', `/api/letters/${body.id}?pgae=1`],
      ['GET', `/api/letters/${body.id}?pgae=1`],
      ['DELETE', `/api/letters/${body.id}?pgae=1`],
    ]) {
      const { status } = await call(method, path)
      assert.equal(status, 200, `${method} ${path}`)
    }
  })
})
