import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { resources } from '#crud'
import { sqliteConnections } from '#base/database/sqlite/sqlite_connection'
import { call, del, get, patch, post } from '#tests/helpers/http'
import { sessions } from '#tests/fixtures/routes'
import { MAIN, onSqlite } from '#tests/helpers/databases'

const rows = () => db.from('route_items').orderBy('id')

/** Methods that a path accepts, determined by requests; the one that deletes comes last. */
async function responding(path: string): Promise<string[]> {
  const responded: string[] = []
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
    const response = await call(method, path, { json: method === 'GET' ? undefined : {} })
    if (![404, 405].includes(response.status)) responded.push(method)
  }
  return responded
}

test.group('Operations', (group) => {
  group.each.setup(async () => {
    await db.from('route_items').delete()
    await db.from('route_marks').delete()
    await db.table('route_items').multiInsert([
      { id: 1, name: 'one', note: null },
      { id: 2, name: 'two', note: 'second' },
    ])
  })

  test('[S1, A1] create is a POST to the model’s path with a body', async ({ assert }) => {
    const response = await post('/api/route-items', { name: 'three', note: 'x' })

    assert.equal(response.status, 201)
    assert.equal(response.body.name, 'three')
    assert.equal(response.headers.get('location'), `/api/route-items/${response.body.id}`)
    assert.lengthOf(await rows(), 3)
  })

  test('[S1, A2] read is a GET with the id', async ({ assert }) => {
    const response = await get('/api/route-items/2')
    assert.equal(response.status, 200)
    assert.deepEqual(response.body, { id: 2, name: 'two', note: 'second' })
  })

  test('[S1] read_multi is a GET of the model’s path', async ({ assert }) => {
    const response = await get('/api/route-items')
    assert.equal(response.status, 200)
    assert.equal(response.body.total_count, 2)
    assert.equal(response.body.data[1].name, 'two')
  })

  test('[S1, A3] update is a PATCH with the id and a body', async ({ assert }) => {
    const response = await patch('/api/route-items/2', { name: 'new' })
    assert.equal(response.status, 200)
    assert.equal(response.text, 'null')
    assert.deepEqual(await rows().where('id', 2), [{ id: 2, name: 'new', note: 'second' }])
  })

  test('[S1, A3] delete is a DELETE with the id', async ({ assert }) => {
    const response = await del('/api/route-items/2')
    assert.equal(response.status, 200)
    assert.equal(response.text, 'null')
    assert.deepEqual(await rows().select('id'), [{ id: 1 }])
  })

  test('[S1, S5, A3] db_delete is a DELETE below db_delete, with a deleteSchema', async ({
    assert,
  }) => {
    const response = await del('/api/route-items/db_delete/2')
    assert.equal(response.status, 200)
    assert.equal(response.text, 'null')
    assert.deepEqual(await rows().select('id'), [{ id: 1 }])
  })

  test('[S5, A24] without a deleteSchema db_delete does not exist', async ({ assert }) => {
    const response = await del('/api/without-delete-schema/db_delete/2')
    assert.equal(response.status, 404)
    assert.equal(response.body.detail, 'There is no such endpoint')
    assert.lengthOf(await rows(), 2)
  })

  test('[A5] a missing item is 404 for every operation', async ({ assert }) => {
    const responses = await Promise.all([
      get('/api/route-items/99'),
      patch('/api/route-items/99', { name: 'x' }),
      del('/api/route-items/99'),
      del('/api/route-items/db_delete/99'),
    ])
    for (const { status, body } of responses) {
      assert.equal(status, 404)
      assert.equal(body.detail, 'Item not found')
    }
  })

  test('[S6, P4] only operations in includedMethods exist', async ({ assert }) => {
    assert.deepEqual(await responding('/api/included-array'), ['GET', 'POST'])
    assert.deepEqual(await responding('/api/included-array/1'), [])
    assert.deepEqual(await responding('/api/included-set'), [])
    assert.deepEqual(await responding('/api/included-set/1'), ['GET'])
  })

  test('[S7, P4] operations in deletedMethods have no routes', async ({ assert }) => {
    assert.deepEqual(await responding('/api/deleted-array'), ['GET', 'POST'])
    assert.deepEqual(await responding('/api/deleted-array/1'), ['GET', 'DELETE'])
    assert.deepEqual(await responding('/api/deleted-array/db_delete/2'), ['DELETE'])
    assert.deepEqual(await responding('/api/deleted-set'), ['GET'])
    assert.deepEqual(await responding('/api/deleted-set/2'), [])
  })

  test('[S7] all operations exist by default', async ({ assert }) => {
    assert.deepEqual(await responding('/api/route-items'), ['GET', 'POST'])
    assert.deepEqual(await responding('/api/route-items/1'), ['GET', 'PATCH', 'DELETE'])
    assert.deepEqual(await responding('/api/route-items/db_delete/2'), ['DELETE'])
  })

  test('[P5, S1] an explicit path has the same prefix as a default path', async ({ assert }) => {
    const response = await get('/api/shop/Goods_v1.0')
    assert.equal(response.status, 200)
    assert.equal(response.body.total_count, 2)
    const outside = await get('/shop/Goods_v1.0')
    assert.equal(outside.status, 404)
  })

  test('[P4] createSchema and updateSchema validate the bodies', async ({ assert }) => {
    const short = await post('/api/schemas', { name: 'four' })
    assert.equal(short.status, 422)
    assert.equal(short.body.errors[0].rule, 'minLength')
    const long = await patch('/api/schemas/1', { name: 'five5' })
    assert.equal(long.body.errors[0].rule, 'maxLength')
    const created = await post('/api/schemas', { name: 'five5', note: 'not in the schema' })
    assert.equal(created.status, 201)
    const [row] = await rows().where('name', 'five5')
    assert.isNull(row.note)
  })

  test('[P4, A2] selectSchema determines the fields of every response', async ({ assert }) => {
    const created = await post('/api/schemas', { name: 'items' })
    assert.sameMembers(Object.keys(created.body), ['id', 'name'])
    const read = await get('/api/schemas/1')
    assert.deepEqual(read.body, { id: 1, name: 'one' })
    const list = await get('/api/schemas?limit=1')
    assert.deepEqual(list.body.data, [{ id: 1, name: 'one' }])
    const updated = await patch(
      '/api/schemas/1',
      { name: 'new' },
      {
        headers: { prefer: 'return=representation' },
      }
    )
    assert.deepEqual(updated.body, { id: 1, name: 'new' })
  })

  test('[P3] crudRouter creates endpoints of the same class, with the same validation of keys, as the decorator', async ({
    assert,
  }) => {
    const creators = ['/api/utensils', '/api/route-items'].map((path) =>
      resources.endpoints().find((one) => one.path === path)
    )
    assert.deepEqual(
      creators.map((creator) => creator?.constructor.name),
      ['EndpointCreator', 'EndpointCreator']
    )
    const decorated = await get('/api/utensils/abc')
    const mounted = await get('/api/route-items/abc')
    assert.equal(mounted.status, 422)
    assert.deepEqual(mounted.body, decorated.body)
  })

  test('[P4] the option tags sets the tags of the resource', ({ assert }) => {
    const { resource } = resources.endpoints().find(({ path }) => path === '/api/schemas')!
    assert.deepEqual(resource.tags, ['Items with schemas'])
  })

  test('[P4] filterConfig declares a filter and its default value', async ({ assert }) => {
    await db.table('route_items').insert({ id: 3, name: 'shown' })
    const names = async (path: string) => {
      const { body } = await get(path)
      return body.data.map(({ name }: { name: string }) => name)
    }
    assert.deepEqual(await names('/api/filtered'), ['shown'])
    assert.deepEqual(await names('/api/filtered?name=two'), ['two'])
    assert.deepEqual(await names('/api/route-items?name=two'), ['one', 'two', 'shown'])
  })

  test('[P4] the middleware of an operation runs in the given order', async ({ assert }) => {
    const passed = async (method: string, path: string, json?: unknown) => {
      const { headers } = await call(method, `/api/guarded${path}`, { json })
      return headers.get('x-passed')
    }
    assert.equal(await passed('POST', '', { name: 'x' }), 'first, second')
    assert.equal(await passed('GET', ''), 'list')
    assert.equal(await passed('GET', '/paginate'), 'list')
    assert.isNull(await passed('GET', '/1'))
    assert.isNull(await passed('PATCH', '/1', {}))
  })

  test('[P4] a middleware can send a response instead of the handler', async ({ assert }) => {
    const response = await del('/api/refused/db_delete/1')
    assert.equal(response.status, 451)
    assert.equal(response.text, 'refused by a middleware')
    assert.lengthOf(await rows(), 2)
  })

  test('[P4] the option crud can be a class or an instance', async ({ assert }) => {
    for (const path of ['/api/loud', '/api/louder']) {
      const response = await post(path, { name: 'quiet' })
      assert.equal(response.body.name, 'QUIET')
    }
  })

  test('[S4, P4] the columns for soft deletion and for the update time can be renamed', async ({
    assert,
  }) => {
    await db.table('route_marks').multiInsert([
      { id: 1, name: 'one', gone: false },
      { id: 2, name: 'two', gone: false },
    ])
    await patch('/api/route-marks/1', { name: 'new' })
    const changed = await get('/api/route-marks/1')
    assert.match(changed.body.changed_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)

    await del('/api/route-marks/1')
    const gone = await get('/api/route-marks/1?deleted=only')
    assert.isTrue(gone.body.gone)
    assert.match(gone.body.gone_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    const list = await get('/api/route-marks')
    assert.equal(list.body.total_count, 1)
  })

  test('[S5, A21] a deleteSchema does not disable soft deletion', async ({ assert }) => {
    await db.table('route_marks').insert({ id: 1, name: 'one', gone: false })
    await del('/api/route-marks-purged/1')
    const [row] = await db.from('route_marks')
    assert.isTrue(Boolean(row.gone))
    assert.isNotNull(row.gone_at)

    const again = await del('/api/route-marks-purged/1')
    assert.equal(again.status, 404)
    const purged = await del('/api/route-marks-purged/db_delete/1')
    assert.equal(purged.status, 200)
    assert.lengthOf(await db.from('route_marks'), 0)
  })

  test('[S4, A21] a CRUD object can define the columns for soft deletion and for the update time', async ({
    assert,
  }) => {
    await db.table('route_marks').insert({ id: 1, name: 'one', gone: false })
    await patch('/api/route-marks-carried/1', { name: 'new' })
    await del('/api/route-marks-carried/1')
    const [row] = await db.from('route_marks')

    assert.isNotNull(row.changed_at)
    assert.isTrue(Boolean(row.gone))
    assert.isNull(row.gone_at)
    const again = await del('/api/route-marks-carried/1')
    assert.equal(again.status, 404)
  })
})

/* Nothing in it depends on the database; a second SQLite file is the simplest. */
test.group('Operations | session', (group) => {
  if (!onSqlite) return
  group.setup(async () => {
    db.manager.add('tenant', sqliteConnections('sqlite', ':memory:', { migrations: [] }).sqlite)
    await db.connection('tenant').schema.createTable('route_items', (table) => {
      table.increments('id')
      table.string('name', 40).notNullable()
      table.string('note', 40)
    })
    return () => db.manager.close('tenant', true)
  })

  group.each.setup(async () => {
    for (const name of [MAIN, 'tenant']) {
      await db.connection(name).from('route_items').delete()
      await db
        .connection(name)
        .table('route_items')
        .insert({ id: 1, name: `of ${name}` })
    }
  })

  const headers = { 'x-tenant': 'tenant' }

  test('[S1, P8, P4] every operation uses the client of the session', async ({ assert }) => {
    const read = await get('/api/sessions/1', { headers })
    assert.equal(read.body.name, 'of tenant')
    const list = await get('/api/sessions', { headers })
    assert.deepEqual(list.body.data, [{ id: 1, name: 'of tenant', note: null }])

    await post('/api/sessions', { name: 'created' }, { headers })
    await patch('/api/sessions/1', { name: 'changed' }, { headers })
    const names = await db.connection('tenant').from('route_items').orderBy('id').select('name')
    assert.deepEqual(names, [{ name: 'changed' }, { name: 'created' }])

    await del('/api/sessions/1', { headers })
    await del('/api/sessions/db_delete/2', { headers })
    assert.lengthOf(await db.connection('tenant').from('route_items'), 0)
    assert.deepEqual(await db.from('route_items').select('name'), [{ name: `of ${MAIN}` }])
  })

  test('[P8] the session option is called with the context of each request', async ({ assert }) => {
    sessions.length = 0
    await get('/api/sessions/1')
    await get('/api/sessions?limit=1', { headers })

    assert.deepEqual(
      sessions.map(({ request }) => request.url(true)),
      ['/api/sessions/1', '/api/sessions?limit=1']
    )
  })
})
