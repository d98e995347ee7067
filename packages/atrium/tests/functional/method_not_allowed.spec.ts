import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { call, get } from '#tests/helpers/http'

const LIST = 'GET, HEAD, POST, OPTIONS'
const ITEM = 'GET, HEAD, PATCH, DELETE, OPTIONS'

test.group('Methods that are not allowed', (group) => {
  group.each.setup(async () => {
    await db.from('route_items').delete()
    await db.table('route_items').insert({ id: 1, name: 'one' })
  })

  test('[A25, A4] {0} {1} is a 405 with the header Allow')
    .with([
      ['PUT', '/api/route-items', LIST],
      ['DELETE', '/api/route-items', LIST],
      ['PATCH', '/api/route-items/', LIST],
      ['POST', '/api/route-items/1', ITEM],
      ['PUT', '/api/route-items/1', ITEM],
      ['PROPFIND', '/api/route-items/1', ITEM],
      ['PUT', '/api/route-items/not-an-id?x=1', ITEM],
      ['PUT', '/api/countries/a%2Fb', ITEM],
      ['PUT', '/api/seats/1/a', ITEM],
      ['GET', '/api/route-items/db_delete/1', 'DELETE, OPTIONS'],
      ['PATCH', '/api/deleted-array/1', 'GET, HEAD, DELETE, OPTIONS'],
      ['POST', '/api/deleted-set', 'GET, HEAD, OPTIONS'],
      ['DELETE', '/api/included-array', LIST],
      ['POST', '/api/named-items/list', 'GET, HEAD, OPTIONS'],
      ['POST', '/api/route-words/nothing', ITEM],
    ])
    .run(async ({ assert }, [method, path, allow]) => {
      const { status, headers, body } = await call(method, path)
      assert.equal(status, 405)
      assert.equal(headers.get('allow'), allow)
      assert.match(headers.get('content-type')!, /^application\/problem\+json/)
      assert.deepEqual(body, {
        type: 'about:blank',
        title: 'Method Not Allowed',
        status: 405,
        detail: `This path allows ${allow}`,
      })
    })

  test('[A25] an unknown path is 404', async ({ assert }) => {
    for (const path of ['/api/nothing', '/api/route-items/1/2/3', '/api/named-items']) {
      const { status, headers } = await call('PUT', path)
      assert.equal(status, 404)
      assert.isNull(headers.get('allow'))
    }
  })

  test('[A25] HEAD has the headers of GET and no body', async ({ assert }) => {
    for (const path of ['/api/route-items', '/api/route-items/1', '/api/named-items/paginate']) {
      const wanted = await get(path)
      const { status, headers, text } = await call('HEAD', path)
      assert.equal(status, 200)
      assert.equal(text, '')
      assert.equal(headers.get('content-type'), wanted.headers.get('content-type'))
      assert.equal(headers.get('content-length'), String(wanted.text.length))
    }
    const missing = await call('HEAD', '/api/route-items/99')
    assert.equal(missing.status, 404)
  })

  test('[A25] OPTIONS returns the allowed methods of a path')
    .with([
      ['/api/route-items', LIST],
      ['/api/route-items/1', ITEM],
      ['/api/route-items/db_delete/1', 'DELETE, OPTIONS'],
    ])
    .run(async ({ assert }, [path, allow]) => {
      const { status, headers, text } = await call('OPTIONS', path)
      assert.equal(status, 204)
      assert.equal(headers.get('allow'), allow)
      assert.equal(text, '')
    })

  test('[A25] OPTIONS of an unknown path is 404', async ({ assert }) => {
    const { status } = await call('OPTIONS', '/api/nothing')
    assert.equal(status, 404)
  })
})
