import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { door } from '#tests/fixtures/ateliers'
import { get, post, statusOf } from '#tests/helpers/http'

async function clear() {
  for (const table of ['art_tag', 'artworks', 'art_tags', 'ateliers']) await db.from(table).delete()
}

async function bodyOf(...call: Parameters<typeof get>): Promise<any> {
  const { body } = await get(...call)
  return body
}

async function itemsOf(path: string): Promise<any[]> {
  const { data } = await bodyOf(path)
  return data
}

const titles = (response: { body: any }) => response.body.data.map(({ title }: any) => title)

test.group('Options of lists', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await clear()
    await db.table('ateliers').multiInsert([
      { id: 1, name: 'Ax', country: 'FR' },
      { id: 2, name: 'Bo', country: null },
    ])
    await db.table('artworks').multiInsert([
      { id: 1, title: 'a', scale: 1, price: '9.50', made_on: '2026-01-01', atelier_id: 1 },
      { id: 2, title: 'b', scale: 2, price: '10.00', made_on: '2026-02-01', atelier_id: null },
      { id: 3, title: 'a!', scale: 9, price: null, made_on: null, atelier_id: 2 },
    ])
    return clear
  })

  test('[W10] responseKey names the array of a list in every format of its response', async ({
    assert,
  }) => {
    const shapes = ['', '?limit=1', '?page=1', '?cursor=', '?count=false']
    for (const query of shapes) {
      const { body } = await get(`/api/ateliers${query}`)
      assert.equal(Object.keys(body)[0], 'ateliers', query)
      assert.isFalse('data' in body, query)
      assert.equal(body.ateliers[0].name, 'Ax', query)
    }
    const { body } = await get('/api/ateliers?page=1')
    assert.deepEqual(Object.keys(body), [
      'ateliers',
      'total_count',
      'has_more',
      'page',
      'items_per_page',
    ])
  })

  test('[W10] a custom operator builds its condition with a value of the column type', async ({
    assert,
  }) => {
    assert.deepEqual(titles(await get('/api/artworks?scale__near=1')), ['a', 'b'])
    assert.deepEqual(titles(await get('/api/artworks?scale__near=9')), ['a!'])
    assert.deepEqual(titles(await get('/api/artworks?price__near=9')), ['a', 'b'])
    assert.deepEqual(titles(await get('/api/artworks?title__sounds=a')), ['a', 'a!'])
    assert.deepEqual(titles(await get('/api/artworks?title__sounds=a&scale__near=2')), ['a'])
    assert.deepEqual(titles(await get('/api/artworks?scale__near=&sort=-id')), ['a!', 'b', 'a'])
    assert.deepEqual(titles(await get('/api/artworks?not.scale__near=9')), ['a', 'b'])
    const either = 'any.1.scale__near=9&any.1.title__sounds=b'
    assert.deepEqual(titles(await get(`/api/artworks?${either}`)), ['b', 'a!'])
    const refused = await get('/api/artworks?scale__near=wide')
    assert.equal(refused.status, 422)
    assert.equal(refused.body.errors[0].field, 'scale__near')
    assert.equal(await statusOf(get('/api/artworks?title__joined=a')), 500)
  })

  test('[W10] a cursor is valid only for the same value of a custom operator', async ({
    assert,
  }) => {
    const { body } = await get('/api/artworks?scale__near=1&limit=1&cursor=')
    const next = `&limit=1&cursor=${body.next_cursor}`
    assert.deepEqual(titles(await get(`/api/artworks?scale__near=1${next}`)), ['b'])
    assert.equal(await statusOf(get(`/api/artworks?scale__near=2${next}`)), 422)
  })

  test('[W10] a filter with a computed value applies to each request, and clients cannot replace it', async ({
    assert,
  }) => {
    const names = async (query: string, headers: Record<string, string> = {}) => {
      const { body } = await get(`/api/ateliers${query}`, { headers })
      return body.ateliers.map(({ name }: any) => name)
    }
    assert.deepEqual(await names(''), ['Ax', 'Bo'])
    assert.deepEqual(await names('', { 'x-country': 'FR' }), ['Ax'])
    assert.deepEqual(await names('?country=', { 'x-country': 'IT' }), [])
    assert.deepEqual(await names('?country=FR', { 'x-country': 'IT' }), [])
    assert.deepEqual(await names('?country=IT', { 'x-country': 'FR' }), ['Ax'])
    assert.deepEqual(await names('?country=IT'), ['Ax', 'Bo'])
    const counted = await get('/api/ateliers/aggregate', { headers: { 'x-country': 'FR' } })
    assert.deepEqual(counted.body, { data: [{ count: 1 }] })
    const headers = { 'x-country': 'FR', 'accept': 'text/csv' }
    const { text } = await get('/api/ateliers', { headers })
    assert.notInclude(text, 'Bo')
  })

  test('[W10] default includes are part of items and lists, in addition to the requested ones', async ({
    assert,
  }) => {
    const [first, second] = await itemsOf('/api/artworks')
    assert.equal(first.atelier.name, 'Ax')
    assert.isNull(second.atelier)
    assert.isUndefined(first.tags)
    const { body } = await get('/api/artworks/1?include=tags&fields=title')
    assert.deepEqual(Object.keys(body), ['title', 'atelier', 'tags'])
    const [requested] = await itemsOf('/api/artworks?include=atelier')
    assert.equal(requested.atelier.name, 'Ax')
    assert.equal(await statusOf(get('/api/artworks', { headers: { accept: 'text/csv' } })), 200)
  })

  test('[W10] default includes that the caller cannot read are left out', async ({ assert }) => {
    door.isClosed = true
    const list = await get('/api/artworks')
    assert.equal(list.status, 200)
    assert.isFalse('atelier' in list.body.data[0])
    assert.isFalse('atelier' in (await bodyOf('/api/artworks/1')))
    assert.equal(await statusOf(get('/api/artworks?include=atelier')), 403)
  }).teardown(() => {
    door.isClosed = false
  })

  test('[W10] every response of a deprecated endpoint announces the deprecation', async ({
    assert,
  }) => {
    for (const path of [
      '/api/ateliers',
      '/api/ateliers/1',
      '/api/ateliers/99',
      '/api/ateliers?page=0',
    ]) {
      const { headers } = await get(path)
      assert.equal(headers.get('deprecation'), `@${Date.UTC(2026, 0, 1) / 1000}`, path)
      assert.equal(headers.get('sunset'), 'Sun, 31 Jan 2027 23:59:59 GMT', path)
    }
    const { headers } = await post('/api/ateliers', { name: 'New' })
    assert.isNotNull(headers.get('deprecation'))
    const other = await get('/api/artworks')
    assert.isNull(other.headers.get('deprecation'))
  })

  test('[W10] the API schema describes responseKey, lists by type, computed filters and deprecation', async ({
    assert,
  }) => {
    const { paths, components } = await bodyOf('/api/openapi.json')
    const list = paths['/api/artworks'].get
    const parameter = (name: string) => list.parameters.find((one: any) => one.name === name)
    assert.deepInclude(parameter('scale__in'), { style: 'form', explode: false })
    assert.deepInclude(parameter('scale__in').schema, { type: 'array', maxItems: 1000 })
    assert.equal(parameter('scale__in').schema.items.type, 'integer')
    assert.deepInclude(parameter('scale__between').schema, { minItems: 2, maxItems: 2 })
    assert.equal(parameter('made_on__in').schema.items.format, 'date')
    assert.equal(parameter('scale__near').schema.type, 'integer')
    assert.deepEqual(components.schemas.AtelierList.required, ['ateliers'])
    const ateliers = paths['/api/ateliers'].get
    assert.isTrue(ateliers.deprecated)
    assert.isUndefined(ateliers.parameters.find((one: any) => one.name === 'country'))
    assert.isUndefined(list.deprecated)
  })
})
