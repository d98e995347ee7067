import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { LucidCrud, Problem, resources } from '#crud'
import { Reading, StockTotal } from '#tests/fixtures/existing_tables'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { del, get, patch, post } from '#tests/helpers/http'

test.group('Views and tables without a key', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(async () => {
    await db.from('stock_moves').delete()
    await db.from('readings').delete()
    await db.table('stock_moves').multiInsert([
      { product: 'saw', amount: 9 },
      { product: 'axe', amount: 12_000 },
      { product: 'axe', amount: 345 },
    ])
    await db.table('readings').multiInsert([
      { place: 'Kiel', degrees: 4 },
      { place: 'Ulm', degrees: 7 },
    ])
  })

  test('[S6] records can be read by the key that the model declares: {path}')
    .with([
      { path: '/api/stock-totals/axe', body: { product: 'axe', total: 12_345 } },
      { path: '/api/readings/Ulm', body: { place: 'Ulm', degrees: 7 } },
    ])
    .run(async ({ assert }, { path, body }) => {
      const { status, body: item } = await get(path)
      assert.equal(status, 200)
      assert.deepEqual(
        Object.entries(item).map(([name, value]) => [
          name,
          name === 'total' ? Number(value) : value,
        ]),
        Object.entries(body)
      )
    })

  test('[A25] every write to a view or a table without a key is a 405: {path}')
    .with([
      { path: '/api/stock-totals', key: 'axe', body: { product: 'x', total: 1 } },
      { path: '/api/readings', key: 'Ulm', body: { place: 'x', degrees: 1 } },
    ])
    .run(async ({ assert }, { path, key, body }) => {
      const responses = [
        await post(path, body),
        await patch(`${path}/${key}`, body),
        await del(`${path}/${key}`),
      ]
      if (path === '/api/stock-totals') {
        responses.push(await post(`${path}/batch`, { create: [body] }))
        responses.push(await del(`${path}/db_delete/${key}`))
      }
      for (const { status, headers } of responses) {
        assert.equal(status, 405)
        assert.equal(headers.get('allow'), 'GET, HEAD')
      }
      assert.lengthOf(await db.from('stock_moves'), 3)
      assert.lengthOf(await db.from('readings'), 2)
    })

  test('[Q1] the list of endpoints and the API schema contain no writes', ({ assert }) => {
    const endpoints = resources
      .endpoints()
      .filter(({ resource }) => [StockTotal, Reading].includes(resource.model as any))
    const routes = endpoints.flatMap((one) => one.routes)
    assert.deepEqual([...new Set(routes.map(({ method }) => method))], ['GET'])
    assert.deepEqual(
      endpoints.map(({ operations }) => [...operations]),
      [
        ['read', 'read_multi'],
        ['read', 'read_multi'],
      ]
    )
  })

  test('[P9] options without effect and a missing unique index are noted for models that can only be read', ({
    assert,
  }) => {
    const notes = resources.endpoints().map(({ readOnlyNote }) => readOnlyNote)
    assert.includeMembers(notes, [
      'StockTotal: stock_totals is a view, so its records can only be read; without effect in its @Crud: deleteSchema and batch',
      'Reading: the table readings has no unique index over place, the key of the model, so its records can only be read',
    ])
  })

  test('[P8] LucidCrud refuses writes of application code', async ({ assert }) => {
    for (const write of [
      () => new LucidCrud(StockTotal).create({ product: 'x', total: 1 }),
      () => new LucidCrud(Reading).update('Ulm', { degrees: 1 }),
      () => new LucidCrud(Reading).deleteMany(['Ulm']),
    ]) {
      const error = await write().catch((one) => one)
      assert.instanceOf(error, Problem)
      assert.equal((error as Problem).status, 405)
    }
  })

  test('[B14] the admin site offers no forms and opens none: {name}')
    .with([
      { name: 'StockTotal', key: 'axe' },
      { name: 'Reading', key: 'Ulm' },
    ])
    .run(async ({ assert, cleanup }, { name, key }) => {
      cleanup(await fakeHashes())
      await emptyAdminTables()
      const cookie = await cookiesOf(await makeUser('jo'))
      const page = (path: string) => get(`/admin/${name}/${path}`, { headers: { cookie } })
      const list = await page('')
      assert.equal(list.status, 200)
      assert.include(list.text, key)
      assert.notMatch(list.text, /create_page|\/update\/|bulk_delete|\/import/)
      const record = await page(`view/${key}`)
      assert.equal(record.status, 200)
      assert.notMatch(record.text, /\/update\/|Duplicate/)
      for (const path of ['create_page', `update/${key}`, 'import']) {
        const { status } = await page(path)
        assert.oneOf(status, [403, 404])
      }
    })

  test('[R16.3] a row whose key is null is shown without a link', async ({ assert, cleanup }) => {
    cleanup(await fakeHashes())
    await emptyAdminTables()
    const cookie = await cookiesOf(await makeUser('jo'))
    await db.table('readings').insert({ place: null, degrees: 77 })
    const list = await get('/admin/Reading/', { headers: { cookie } })
    assert.include(list.text, '77')
    assert.include(list.text, '/admin/Reading/view/Ulm')
    assert.notMatch(list.text, /view\/null|value="null"/)
    const record = await get('/admin/Reading/view/Ulm', { headers: { cookie } })
    assert.equal(record.status, 200)
    assert.notInclude(record.text, 'view/null')
  })

  test('[R9.8] read-only records have no history', async ({ assert, cleanup }) => {
    cleanup(await fakeHashes())
    await emptyAdminTables()
    const cookie = await cookiesOf(await makeUser('jo'))
    const record = await get('/admin/Reading/view/Ulm', { headers: { cookie } })
    assert.notInclude(record.text, '/history/')
  })
})
