import { test } from '@japa/runner'
import { engineRouter } from '#base/http/engine_router'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import { resources } from '#crud'
import { requested, passed } from '#tests/fixtures/mounts'
import {
  agedCookiesOf,
  callRaw,
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  isSignedIn,
  makeUser,
} from '#tests/helpers/admin'
import { call, type HttpResponse } from '#tests/helpers/http'
import { insertRow } from '#tests/helpers/databases'

const RACK = '/admin/Rack/crud'
const PLACE = '/admin/RackPlace/crud'
const PROBLEM = 'application/problem+json; charset=utf-8'

async function insertRack(values: Record<string, unknown> = {}): Promise<number> {
  return await insertRow('mount_racks', { label: 'A', ...values })
}

test.group('Admin | endpoints below /crud', (group) => {
  let jo: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['mount_racks', 'mount_rack_places']) await db.from(table).delete()
    requested.length = 0
    passed.length = 0
    jo = await makeUser('jo', { isSuperuser: false })
    cookie = await cookiesOf(jo)
  })

  const send = (
    method: string,
    path: string,
    { json, headers }: { json?: unknown; headers?: Record<string, string> } = {}
  ): Promise<HttpResponse> => call(method, path, { json, headers: { cookie, ...headers } })

  test('[Q3, P13] /crud includes only related models that the user can see in the site', async ({
    assert,
  }) => {
    const rack = await insertRack({ owner: 'jo', secret: 'sesame' })
    const label = await insertRow('mount_rack_labels', { rack_id: rack })
    for (const path of ['/admin/RackLabel/crud', `/admin/RackLabel/crud/${label}`]) {
      const { status, body, text } = await send('GET', `${path}?include=rack`)
      assert.equal(status, 200)
      const item = body.data?.[0] ?? body
      assert.deepInclude(item.rack, { id: rack, label: 'A', owner: 'jo' })
      assert.notInclude(text, 'sesame')
      for (const include of ['printer', 'unseen', 'rack,printer']) {
        const refused = await send('GET', `${path}?include=${include}`)
        assert.equal(refused.status, 403)
      }
      const unknown = await send('GET', `${path}?include=nothing`)
      assert.equal(unknown.status, 422)
    }
    /* The scope of racks depends on the signed-in user. */
    await db.from('mount_racks').update({ owner: 'ann' })
    const { body } = await send('GET', '/admin/RackLabel/crud?include=rack')
    assert.isNull(body.data[0].rack)
    await db.from('mount_rack_labels').delete()
  })

  test('[S61, B14] all six operations exist below /crud, even those that @Crud excludes', async ({
    assert,
  }) => {
    const created = await send('POST', RACK, { json: { label: 'B', secret: 'x', id: 7 } })
    assert.equal(created.status, 201)
    const { id } = created.body
    assert.equal(created.headers.get('location'), `${RACK}/${id}`)
    assert.deepInclude(created.body, { label: 'B', owner: null })
    assert.notProperty(created.body, 'secret')

    const read = await send('GET', created.headers.get('location')!)
    assert.deepEqual(read.body, created.body)
    const list = await send('GET', `${RACK}?page=1`)
    assert.deepEqual(list.body, {
      data: [created.body],
      total_count: 1,
      has_more: false,
      page: 1,
      items_per_page: 10,
    })

    const updated = await send('PATCH', `${RACK}/${id}`, { json: { label: 'C' } })
    assert.equal(updated.status, 200)
    assert.isNull(updated.body)
    const deleted = await send('DELETE', `${RACK}/${id}`)
    assert.equal(deleted.status, 200)
    const [row] = await db.from('mount_racks')
    assert.deepInclude(row, { id, label: 'C', secret: null })
    assert.isTrue(Boolean(row.is_deleted))
    const purged = await send('DELETE', `${RACK}/db_delete/${id}`)
    assert.equal(purged.status, 200)
    assert.isEmpty(await db.from('mount_racks'))
  })

  test('[S61] /crud has the filters, soft deletion and hidden columns of the model', async ({
    assert,
  }) => {
    await insertRack({ label: 'A', secret: 'hidden' })
    await insertRack({ label: 'B' })
    await insertRack({ label: 'A', is_deleted: true })
    const labels = async (query: string) => {
      const { body } = await send('GET', RACK + query)
      return body.data.map(({ label }: any) => label)
    }
    assert.deepEqual(await labels(''), ['A', 'B'])
    assert.deepEqual(await labels('?label=A'), ['A'])
    assert.deepEqual(await labels('?deleted=only'), ['A'])
    const { text } = await send('GET', RACK)
    assert.notInclude(text, 'hidden')
    const sorted = await send('GET', `${RACK}?sort=secret`)
    assert.equal(sorted.status, 422)
  })

  test('[S61, A24] /crud reads and writes items with composite keys, and purges them without a deleteSchema', async ({
    assert,
  }) => {
    const created = await send('POST', PLACE, { json: { rack: 1, place: 'a b', content: 'x' } })
    assert.equal(created.headers.get('location'), `${PLACE}/1/a%20b`)
    await send('POST', PLACE, { json: { rack: 1, place: 'c' } })
    const purged = await send('DELETE', `${PLACE}/db_delete/1/a%20b`)
    assert.equal(purged.status, 200)
    const rows = await db.from('mount_rack_places')
    assert.deepEqual(rows, [{ rack: 1, place: 'c', content: null }])
  })

  test('[P13, P14] policy and scope receive the admin user as the actor of requests below /crud', async ({
    assert,
  }) => {
    const mine = await insertRack({ owner: 'jo' })
    const other = await insertRack({ owner: 'al' })
    const unknownUserHash = await insertRack({ label: 'nobody’s' })
    const read = await send('GET', `${RACK}/${mine}`)
    assert.equal(read.status, 200)
    assert.deepEqual(requested, [{ kind: 'admin', username: 'jo', action: 'read' }])
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const json = method === 'PATCH' ? { label: 'x' } : undefined
      const hidden = await send(method, `${RACK}/${other}`, { json })
      assert.equal(hidden.status, 404, method)
      const refused = await send(method, `${RACK}/${unknownUserHash}`, { json })
      assert.equal(refused.status, 403, method)
    }
    const { body } = await send('GET', RACK)
    assert.equal(body.total_count, 1)
    assert.deepEqual(
      body.data.map(({ id }: { id: number }) => id),
      [mine]
    )
    assert.lengthOf(await db.from('mount_racks').where('is_deleted', false), 3)
  })

  test('[S61, P11] routes of a custom EndpointCreator are registered with the same guards', async ({
    assert,
  }) => {
    const custom = await send('GET', `${RACK}/custom`)
    assert.deepEqual(custom.body, { username: 'jo' })
    assert.deepEqual(passed, [`${RACK}/custom`])
    const sorted = await send('POST', `${RACK}/sort`)
    assert.equal(sorted.body, 'sorted')

    /* Not even its middleware runs for anonymous or cross-site requests. */
    const stranger = await call('GET', `${RACK}/custom`)
    assert.equal(stranger.status, 401)
    const forged = await send('POST', `${RACK}/sort`, { headers: { origin: 'http://evil.test' } })
    assert.equal(forged.status, 403)
    assert.lengthOf(passed, 1)
  })

  test('[B6, P13] an anonymous request gets a problem, whatever its path and Accept header', async ({
    assert,
  }) => {
    const id = await insertRack()
    const accepts = ['text/html', 'application/json', '*/*', 'image/png', '']
    for (const accept of accepts) {
      for (const [method, path] of [
        ['GET', RACK],
        ['HEAD', RACK],
        ['POST', RACK],
        ['GET', `${RACK}/${id}`],
        ['PATCH', `${RACK}/${id}`],
        ['DELETE', `${RACK}/${id}`],
        ['DELETE', `${RACK}/db_delete/${id}`],
        ['PUT', RACK],
        ['OPTIONS', RACK],
        ['GET', `${RACK}/1/2/3`],
        ['GET', `${RACK}/`],
        ['PATCH', '/admin/Nothing/crud/1'],
        ['GET', '/admin/AdminUser/crud'],
        ['GET', '/admin/Rack/%63rud/1/2/3'],
      ]) {
        const response = await callRaw(method, path, { accept, 'hx-request': 'true' })
        assert.equal(response.status, 401, `${method} ${path} ${accept}`)
        assert.equal(response.headers['content-type'], PROBLEM)
        assert.isUndefined(response.headers.location)
        assert.isUndefined(response.headers['hx-redirect'])
        if (method !== 'HEAD') {
          assert.deepEqual(JSON.parse(response.text), {
            type: 'about:blank',
            title: 'Unauthorized',
            status: 401,
            detail: 'Log in first.',
          })
        }
      }
    }
    assert.isEmpty(requested)
    assert.lengthOf(await db.from('mount_racks').where('is_deleted', false), 1)
  })

  test('[B6, B4] a request with invalid cookies is refused, and its response clears them', async ({
    assert,
  }) => {
    const response = await call('GET', RACK, {
      headers: { cookie: 'access_token=a.b.c; session_id=x' },
    })
    assert.equal(response.status, 401)
    const cleared = response.headers.getSetCookie().map((line) => line.split('=')[0])
    assert.sameMembers(cleared, ['access_token', 'session_id'])
  })

  test('[P13, P10] /crud does not accept access tokens', async ({ assert }) => {
    const { status } = await call('GET', RACK, { headers: { authorization: 'Bearer jo' } })
    assert.equal(status, 401)
  })

  test('[B4] requests below /crud renew the cookies of the session', async ({ assert }) => {
    cookie = await agedCookiesOf(jo, { minutes: 10 })
    const response = await send('GET', RACK)
    assert.equal(response.status, 200)
    const [renewed] = response.headers.getSetCookie()
    assert.match(renewed, /^access_token=/)
    assert.isTrue(await isSignedIn(`${cookie}; ${cookiesFrom(response)}`))
  })

  test('[B9] cross-site requests are refused and change nothing', async ({ assert }) => {
    const id = await insertRack()
    const before = await db.from('mount_racks')
    for (const headers of [
      { origin: 'http://evil.test' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Array<Record<string, string>>) {
      for (const [method, path] of [
        ['POST', RACK],
        ['PATCH', `${RACK}/${id}`],
        ['DELETE', `${RACK}/${id}`],
        ['DELETE', `${RACK}/db_delete/${id}`],
        ['POST', `${RACK}/sort`],
      ]) {
        const json = method === 'DELETE' ? undefined : { label: 'x' }
        const response = await send(method, path, { json, headers })
        assert.equal(response.status, 403, `${method} ${path}`)
        assert.equal(response.headers.get('content-type'), PROBLEM)
      }
    }
    assert.deepEqual(await db.from('mount_racks'), before)
  })

  test('[B10, A26] every response has the site’s security headers and a request id', async ({
    assert,
  }) => {
    const id = await insertRack()
    const responses = {
      list: await send('GET', RACK),
      created: await send('POST', RACK, { json: { label: 'x' } }),
      invalid: await send('POST', RACK, { json: {} }),
      missing: await send('GET', `${RACK}/0`),
      wrongId: await send('GET', `${RACK}/x`),
      noRoute: await send('GET', `${RACK}/1/2/3`),
      wrongMethod: await send('PUT', `${RACK}/${id}`),
      options: await send('OPTIONS', RACK),
      forged: await send('DELETE', `${RACK}/${id}`, { headers: { origin: 'null' } }),
      stranger: await call('GET', RACK),
      strangerNowhere: await call('GET', `${RACK}/1/2/3`),
      notForThem: await send('GET', '/admin/AdminUser/crud'),
    }
    assert.deepEqual(
      Object.values(responses).map(({ status }) => status),
      [200, 201, 422, 404, 422, 404, 405, 204, 403, 401, 401, 403]
    )
    for (const [kind, { headers }] of Object.entries(responses)) {
      assert.equal(headers.get('x-content-type-options'), 'nosniff', kind)
      assert.equal(headers.get('referrer-policy'), 'same-origin', kind)
      assert.equal(headers.get('cache-control'), 'no-store', kind)
      assert.include(headers.get('content-security-policy'), "frame-ancestors 'none'", kind)
      assert.match(headers.get('x-request-id')!, /^[\w.-]+$/, kind)
    }
  })

  test('[B14, A25] actions that the view does not allow have no route', async ({ assert }) => {
    const id = await insertRow('mount_racks', { label: 'A' })
    const calls: Record<string, [method: string, path: string]> = {
      list: ['GET', ''],
      read: ['GET', `/${id}`],
      custom: ['GET', '/custom'],
      create: ['POST', ''],
      update: ['PATCH', `/${id}`],
      sort: ['POST', '/sort'],
      delete: ['DELETE', `/${id}`],
      purge: ['DELETE', `/db_delete/${id}`],
      empty: ['POST', '/empty'],
    }
    for (const [action, allowed] of Object.entries({
      View: ['list', 'read', 'custom'],
      Create: ['create'],
      Update: ['update', 'sort'],
      Delete: ['delete', 'purge', 'empty'],
    })) {
      for (const [name, [method, path]] of Object.entries(calls)) {
        if (allowed.includes(name)) continue
        const response = await send(method, `/admin/RackTo${action}/crud${path}`, {
          json: method === 'GET' ? undefined : { label: 'x' },
        })
        assert.include([404, 405], response.status, `${action}: ${name}`)
        assert.equal(response.headers.get('content-type'), PROBLEM)
        assert.equal(response.status === 405, response.headers.has('allow'))
      }
      const patterns = Object.values(engineRouter().toJSON())
        .flat()
        .filter(({ pattern }) => pattern.startsWith(`/admin/RackTo${action}/crud`))
      assert.lengthOf(patterns, allowed.length, action)
    }
    assert.lengthOf(await db.from('mount_racks').where({ label: 'A', is_deleted: false }), 1)
  })

  test('[A25] a 405 and the response to OPTIONS list the allowed methods', async ({ assert }) => {
    const wrong = await send('PUT', RACK)
    assert.equal(wrong.status, 405)
    assert.equal(wrong.headers.get('allow'), 'GET, HEAD, POST, OPTIONS')
    assert.equal(wrong.headers.get('content-type'), PROBLEM)
    const options = await send('OPTIONS', `${RACK}/1`)
    assert.equal(options.status, 204)
    assert.equal(options.headers.get('allow'), 'GET, HEAD, PATCH, DELETE, OPTIONS')
  })

  test('[B6] unknown paths are problems below /crud, and pages elsewhere', async ({ assert }) => {
    for (const [path, isProblem] of [
      [`${RACK}/1/2/3`, true],
      ['/admin/Nothing/crud', true],
      ['/admin/Nothing/crud/1', true],
      ['/admin/Rack/crude', false],
      ['/admin/Rack/x/crud/1', false],
      ['/admin/crud', false],
    ] as const) {
      const { status, headers } = await send('GET', path, { headers: { accept: 'text/html' } })
      assert.equal(status, 404, path)
      assert.equal(headers.get('content-type') === PROBLEM, isProblem, path)
    }
  })

  test('[S61, Q1] endpoints below /crud are not part of the API schema', ({ assert }) => {
    const paths = resources.endpoints().map(({ path }) => path)
    assert.isNotEmpty(paths)
    assert.isEmpty(paths.filter((path) => path.startsWith('/admin')))
  })

  test('[A29] an internal error is a problem without details', async ({ assert, cleanup }) => {
    await db.rawQuery('alter table mount_racks rename to mount_racks_away')
    cleanup(() => db.rawQuery('alter table mount_racks_away rename to mount_racks'))
    const response = await send('GET', RACK)
    assert.equal(response.status, 500)
    assert.equal(response.headers.get('content-type'), PROBLEM)
    assert.notMatch(response.text, /mount_racks|select|SQLITE/i)
  })
})
