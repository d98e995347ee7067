import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import type { CrudConfig } from '#crud/define_config'
import { call, del, get, patch, post, urlOf } from '#tests/helpers/http'

/** Imports a package without its types: those of React's packages change the types of the browser's elements. */
async function untyped(name: string): Promise<any> {
  const { default: value } = await import(name)
  return value
}

const TOOLS = '/api/compat-tools'
const PLAIN = '/api/plain-tools'

interface Tool {
  id: number
  name: string
}

const nameOf = ({ name }: Tool) => name

async function names(query: string): Promise<string[]> {
  const { body, status, text } = await get(`${TOOLS}?${query}`)
  if (status !== 200) throw new Error(text)
  return body.map(nameOf)
}

test.group('Clients of json-server', (group) => {
  let makers: number[]

  group.each.setup(async () => {
    await db.from('compat_tools').delete()
    await db.from('compat_makers').delete()
    makers = []
    for (const name of ['Anvil & Co', 'Bolt']) {
      const { body } = await post('/api/compat-makers', { name })
      makers.push(body.id)
    }
    const tools = ['adze', 'brace', 'chisel', 'drill', 'file'].map((name, index) => ({
      name,
      price: 10 * (index + 1),
      maker_id: makers[index % 2],
      secret: `made of ${name}`,
    }))
    await db.table('compat_tools').multiInsert(tools)
  })

  test('[W3] every counted list has the header X-Total-Count', async ({ assert }) => {
    const totalOf = async (path: string) => {
      const { headers } = await get(path)
      return headers.get('x-total-count')
    }
    assert.equal(await totalOf(`${PLAIN}?limit=2`), '5')
    assert.equal(await totalOf(`${PLAIN}?page=1&itemsPerPage=1`), '5')
    assert.equal(await totalOf(`${PLAIN}?name__ne=drill`), '4')
    assert.equal(await totalOf(`${TOOLS}?_start=0&_end=2`), '5')
    assert.equal(await totalOf(`${TOOLS}/paged`), '5')
    assert.isNull(await totalOf(`${PLAIN}?count=false`))
    assert.isNull(await totalOf(`${PLAIN}?cursor=`))
    const { headers } = await call('HEAD', PLAIN)
    assert.equal(headers.get('x-total-count'), '5')
  })

  test('[W3] without the option compat the parameters of json-server have no effect, and PUT is a 405', async ({
    assert,
  }) => {
    const { body } = await get(`${PLAIN}?_start=1&_end=2&_sort=price&_order=desc&q=drill`)
    assert.lengthOf(body.data, 5)
    const [{ id }] = body.data
    const put = await call('PUT', `${PLAIN}/${id}`, { json: { name: 'x' } })
    assert.equal(put.status, 405)
    assert.notInclude(put.headers.get('allow')!, 'PUT')
    const changed = await patch(`${PLAIN}/${id}`, { name: 'awl' })
    assert.isNull(changed.body)
  })

  test('[W3] a list is a bare array, limited by _start, _end, _page and _limit', async ({
    assert,
  }) => {
    const { body } = await get(TOOLS)
    assert.isArray(body)
    assert.notProperty(body[0], 'secret')
    assert.deepEqual(await names('_start=1&_end=3'), ['brace', 'chisel'])
    assert.deepEqual(await names('_end=2'), ['adze', 'brace'])
    assert.deepEqual(await names('_start=3'), ['drill', 'file'])
    assert.deepEqual(await names('_start=1&_limit=1'), ['brace'])
    assert.deepEqual(await names('_page=2&_limit=2'), ['chisel', 'drill'])
    assert.deepEqual(await names('_start=2&_end=2'), [])
    assert.deepEqual(await names('limit=1&offset=4'), ['file'])
  })

  test('[W3] _sort and _order sort by several columns', async ({ assert }) => {
    assert.deepEqual(await names('_sort=price&_order=DESC&_limit=2'), ['file', 'drill'])
    const query = '_sort=maker_id,price&_order=desc,asc'
    assert.deepEqual(await names(query), ['brace', 'drill', 'adze', 'chisel', 'file'])
    assert.deepEqual(await names('_sort=-price&_limit=1'), ['file'])
  })

  test('[W3] a list can be filtered by repeated `id`, by `q`, and by the operators of the framework Refine (`price_gte`)', async ({
    assert,
  }) => {
    const { body } = await get(TOOLS)
    const [first, , third] = body
    assert.deepEqual(await names(`id=${third.id}&id=${first.id}`), ['adze', 'chisel'])
    assert.deepEqual(await names(`id=${third.id}`), ['chisel'])
    assert.deepEqual(await names('price_gte=20&price_lte=30'), ['brace', 'chisel'])
    assert.deepEqual(await names('name_like=il'), ['drill', 'file'])
    assert.deepEqual(await names('name_ne=adze&_limit=1'), ['brace'])
    assert.deepEqual(await names('name=drill'), ['drill'])
    assert.deepEqual(await names('q=RI'), ['drill'])
    assert.deepEqual(await names('q=made'), [], 'a hidden column is not searched')
    assert.lengthOf(await names('secret=x&secret_like=made'), 5)
  })

  test('[W3] more repeated ids than the default page size of a list are all found', async ({
    assert,
  }) => {
    const rows = Array.from({ length: 150 }, (_, index) => ({ name: `n${index}`, price: index }))
    await db.table('compat_tools').multiInsert(rows)
    const { body } = await get(`${TOOLS}?limit=1000`)
    const ids = body.map(({ id }: Tool) => `id=${id}`)
    assert.lengthOf(await names(ids.join('&')), 155)
  })

  test('[W3] an invalid parameter value is a 422 that names the parameter: {$self}')
    .with([
      ['_start', '_start=-1&_end=5'],
      ['_start', '_start=x'],
      ['_end', '_start=5&_end=2'],
      ['_end', '_end=1.5'],
      ['_page', '_page=0'],
      ['_limit', '_limit=many'],
      ['_page', '_page=1&_start=3'],
      ['_start', '_start=0&limit=2'],
      ['_order', '_sort=price&_order=up'],
      ['sort', '_sort=secret'],
      ['_sort', '_sort=price&sort=name'],
      ['id', 'id=1&id=x'],
      ['q', `q=${'word%20'.repeat(3)}${Array.from({ length: 11 }, (_, i) => `w${i}`).join('%20')}`],
      ['price__gte', 'price_gte=much'],
    ])
    .run(async ({ assert }, [field, query]) => {
      const { body, status } = await get(`${TOOLS}?${query}`)
      assert.equal(status, 422)
      assert.equal(body.errors[0].field, field)
    })

  test('[W3] PUT and PATCH change the sent fields and return the record', async ({ assert }) => {
    const { body: list } = await get(TOOLS)
    const [{ id }] = list
    const put = await call('PUT', `${TOOLS}/${id}`, { json: { id, price: 99, unknown: 1 } })
    assert.equal(put.status, 200)
    assert.deepEqual(put.body, { id, name: 'adze', price: 99, maker_id: makers[0] })
    assert.isTrue(put.headers.has('etag'))
    const patched = await patch(`${TOOLS}/${id}`, { name: 'awl' })
    assert.equal(patched.body.name, 'awl')
    const minimal = await patch(
      `${TOOLS}/${id}`,
      { name: 'axe' },
      { headers: { prefer: 'return=minimal' } }
    )
    assert.equal(minimal.status, 204)
    const invalid = await call('PUT', `${TOOLS}/${id}`, { json: { price: 'much' } })
    assert.equal(invalid.status, 422)
    const deleted = await del(`${TOOLS}/${id}`)
    assert.deepEqual(deleted.body, { id })
  })

  test('[W3] config/crud.ts sets the dialect of all models, and strictQuery accepts its parameters', async ({
    assert,
    cleanup,
  }) => {
    const config = app.config.get<CrudConfig>('crud')
    cleanup(() => app.config.set('crud', config))
    app.config.set('crud', { ...config, compat: ['json-server'], strictQuery: true })
    const { body } = await get(`${PLAIN}?_start=0&_end=1&name_ne=adze&q=b`)
    assert.deepEqual(body.map(nameOf), ['brace'])
    const unknown = await get(`${PLAIN}?_begin=0`)
    assert.equal(unknown.status, 422)
  })

  test('[W3] a list as CSV accepts the parameters of json-server, except those for paging', async ({
    assert,
  }) => {
    const headers = { accept: 'text/csv' }
    const { text } = await get(`${TOOLS}?_sort=price&_order=desc&price_gte=40`, { headers })
    assert.match(text, /^id,name,price,maker_id\r\n\d+,file,50,\d+\r\n\d+,drill,40,\d+\r\n$/)
    const cut = await get(`${TOOLS}?_start=1`, { headers })
    assert.equal(cut.status, 422)
  })

  test('[W3] the unmodified data provider ra-data-json-server of react-admin reads and writes records', async ({
    assert,
  }) => {
    const jsonServerProvider = await untyped('ra-data-json-server')
    const provider = jsonServerProvider(urlOf('/api'))
    const sort = { field: 'price', order: 'DESC' } as const
    const pagination = { page: 1, perPage: 2 }
    const list = await provider.getList('compat-tools', { sort, pagination, filter: {} })
    assert.equal(list.total, 5)
    assert.deepEqual(list.data.map(nameOf), ['file', 'drill'])
    const found = await provider.getList('compat-tools', {
      sort,
      pagination,
      filter: { q: 'chis' },
    })
    assert.equal(found.total, 1)
    const filtered = await provider.getList('compat-tools', {
      sort,
      pagination: { page: 2, perPage: 1 },
      filter: { price_lte: 30 },
    })
    assert.deepEqual([filtered.total, filtered.data[0].name], [3, 'brace'])

    const [{ id }, { id: other }] = list.data
    const one = await provider.getOne('compat-tools', { id })
    assert.equal(one.data.name, 'file')
    const many = await provider.getMany('compat-tools', { ids: [id, other] })
    assert.sameMembers(many.data.map(nameOf), ['file', 'drill'])
    const reference = await provider.getManyReference('compat-tools', {
      target: 'maker_id',
      id: makers[1],
      sort,
      pagination,
      filter: {},
    })
    assert.deepEqual([reference.total, reference.data[0].name], [2, 'drill'])

    const data = { name: 'gouge', price: 5, maker_id: null }
    const created = await provider.create('compat-tools', { data })
    assert.isNumber(created.data.id)
    const before = created.data as any
    const updated = await provider.update('compat-tools', {
      id: before.id,
      data: { ...before, price: 6 },
      previousData: before,
    })
    assert.deepEqual(updated.data, { ...data, id: before.id, price: 6 })
    const prices = await provider.updateMany('compat-tools', {
      ids: [id, other],
      data: { price: 1 },
    })
    assert.deepEqual(prices.data, [id, other])
    const deleted = await provider.delete('compat-tools', { id, previousData: one.data })
    assert.equal(deleted.data.id, id)
    const ids = [other, before.id]
    const gone = await provider.deleteMany('compat-tools', { ids })
    assert.deepEqual(gone.data, ids)
    const rest = await provider.getList('compat-tools', { sort, pagination, filter: {} })
    assert.equal(rest.total, 3)
    await assert.rejects(() => provider.getOne('compat-tools', { id }))
  })

  test('[W3] the unmodified data provider @refinedev/simple-rest of refine reads and writes records', async ({
    assert,
  }) => {
    const dataProvider = await untyped('@refinedev/simple-rest')
    const provider = dataProvider(urlOf('/api'))
    const resource = 'compat-tools'
    const list = await provider.getList({
      resource,
      pagination: { currentPage: 2, pageSize: 2 },
      sorters: [{ field: 'price', order: 'desc' }],
      filters: [
        { field: 'price', operator: 'gte', value: 20 },
        { field: 'name', operator: 'ne', value: 'drill' },
      ],
    })
    assert.equal(list.total, 3)
    assert.deepEqual(list.data.map(nameOf), ['brace'])
    const found = await provider.getList({
      resource,
      pagination: { mode: 'off' },
      filters: [
        { field: 'name', operator: 'contains', value: 'il' },
        { field: 'q', operator: 'eq', value: 'fil' },
      ],
    })
    assert.deepEqual(found.data.map(nameOf), ['file'])
    const { data: all } = await provider.getList({ resource })
    const ids = all.slice(0, 2).map(({ id }: Tool) => id)
    const many = await provider.getMany({ resource, ids })
    assert.lengthOf(many.data, 2)
    const one = await provider.getOne({ resource, id: ids[0] })
    assert.equal(one.data.name, 'adze')
    const created = await provider.create({ resource, variables: { name: 'gouge', price: 5 } })
    const { id } = created.data as { id: number }
    assert.isNumber(id)
    const updated = await provider.update({ resource, id, variables: { price: 7 } })
    assert.equal(updated.data.price, 7)
    await provider.deleteOne({ resource, id })
    const { total } = await provider.getList({ resource })
    assert.equal(total, 5)
  })
})
