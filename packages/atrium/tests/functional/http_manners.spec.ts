import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { call, get, patch, post, urlOf } from '#tests/helpers/http'

const TOOLS = '/api/plain-tools'
const GUARDED = '/api/token-guarded'

/** The response as it was sent; `fetch` would decompress it. */
async function raw(path: string, headers: Record<string, string>, method = 'GET') {
  const { request } = await import('node:http')
  const { promise, resolve, reject } = Promise.withResolvers<{
    headers: NodeJS.Dict<string | string[]>
    body: Buffer
  }>()
  const sent = request(urlOf(path), { method, headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }))
    response.on('error', reject)
  })
  sent.on('error', reject).end()
  return await promise
}

test.group('HTTP features of responses', (group) => {
  group.setup(async () => {
    await db.from('compat_tools').delete()
    const rows = Array.from({ length: 3000 }, (_, index) => ({
      name: `tool ${index}`,
      price: index,
    }))
    for (let at = 0; at < rows.length; at += 300) {
      await db.table('compat_tools').multiInsert(rows.slice(at, at + 300))
    }
    return async () => {
      await db.from('compat_tools').delete()
    }
  })

  test('[W10.9] responses above 1 KB are compressed with an encoding that the client accepts', async ({
    assert,
  }) => {
    const plain = await raw(TOOLS, {})
    const brotli = await raw(TOOLS, { 'accept-encoding': 'gzip, deflate, br' })
    const gzip = await raw(TOOLS, { 'accept-encoding': 'gzip;q=0.5, br;q=0' })
    assert.isUndefined(plain.headers['content-encoding'])
    assert.equal(brotli.headers['content-encoding'], 'br')
    assert.equal(gzip.headers['content-encoding'], 'gzip')
    assert.isTrue(brotliDecompressSync(brotli.body).equals(plain.body))
    assert.isTrue(gunzipSync(gzip.body).equals(plain.body))
    assert.isBelow(brotli.body.length, plain.body.length / 3)
    for (const { headers, body } of [plain, brotli, gzip]) {
      assert.match(String(headers.vary), /Accept-Encoding/i)
      assert.equal(headers['content-length'], String(body.length))
      assert.equal(headers.etag, plain.headers.etag)
    }
    const short = await raw(`${TOOLS}?limit=2`, { 'accept-encoding': 'br' })
    assert.isUndefined(short.headers['content-encoding'])
    const refused = await raw(TOOLS, { 'accept-encoding': 'identity' })
    assert.isUndefined(refused.headers['content-encoding'])
  })

  test('[W10.9] streamed lists and long JSON are compressed, too', async ({ assert }) => {
    for (const accept of ['text/csv', 'application/x-ndjson', 'application/json']) {
      const path = `${TOOLS}?limit=3000`
      const plain = await raw(path, { accept })
      for (const encoding of ['br', 'gzip']) {
        const { headers, body } = await raw(path, { accept, 'accept-encoding': encoding })
        assert.equal(headers['content-encoding'], encoding)
        const text = encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)
        assert.isTrue(text.equals(plain.body), accept)
      }
    }
    const head = await raw(`${TOOLS}?limit=3000`, { 'accept-encoding': 'br' }, 'HEAD')
    assert.lengthOf(head.body, 0)
  })

  test('[W10.10] every response of the API has Cache-Control', async ({ assert }) => {
    const cacheOf = async (response: ReturnType<typeof call>) => {
      const { headers } = await response
      return headers.get('cache-control')
    }
    const { body: made } = await post(TOOLS, { name: 'saw', price: 1 })
    const { headers } = await get(`${TOOLS}/${made.id}`)
    const etag = headers.get('etag')!
    assert.equal(headers.get('cache-control'), 'no-cache')
    assert.equal(await cacheOf(get(TOOLS)), 'no-cache')
    assert.equal(await cacheOf(call('HEAD', TOOLS)), 'no-cache')
    const known = { headers: { 'if-none-match': etag } }
    assert.equal(await cacheOf(get(`${TOOLS}/${made.id}`, known)), 'no-cache')
    for (const response of [
      post(TOOLS, { name: 'file', price: 1 }),
      patch(`${TOOLS}/${made.id}`, { price: 2 }),
      call('DELETE', `${TOOLS}/${made.id}`),
      get(`${TOOLS}/0`),
      get('/api/nothing'),
      get(`${TOOLS}?limit=x`),
      call('PUT', TOOLS),
      call('OPTIONS', TOOLS),
      get(GUARDED),
    ]) {
      assert.equal(await cacheOf(response), 'no-store')
    }
    assert.equal(await cacheOf(get('/api/openapi.json')), 'no-cache')
  })

  test('[W10.11] the Accept header decides between a JSON response and a 406: {$self}')
    .with([
      ['text/html', 406],
      ['application/xml, image/*', 406],
      ['application/json;q=0', 406],
      ['*/*;q=0', 406],
      ['application/json;q=0, */*', 406],
      ['application/*', 200],
      ['text/html, */*;q=0.1', 200],
      ['application/json', 200],
      ['*', 200],
    ] as Array<[string, number]>)
    .run(async ({ assert }, [accept, status]) => {
      const row = await db.from('compat_tools').firstOrFail()
      const read = await get(`${TOOLS}/${row.id}`, { headers: { accept } })
      assert.equal(read.status, status)
      if (status === 200) return
      assert.include(read.headers.get('content-type')!, 'application/problem+json')
      assert.include(read.body.detail, 'application/json')
    })

  test('[W10.11] a list can exclude JSON by q=0 and be sent in another format', async ({
    assert,
  }) => {
    const typeOf = async (accept: string) => {
      const { headers, status } = await get(`${TOOLS}?limit=1`, { headers: { accept } })
      return status === 200 ? headers.get('content-type') : status
    }
    assert.equal(await typeOf('application/json;q=0, */*'), 'text/csv; charset=utf-8')
    assert.equal(await typeOf('application/pdf'), 406)
    assert.equal(await typeOf('text/csv;q=0.1, text/html'), 'text/csv; charset=utf-8')
  })

  test('[W10.11] a write that gets a 406 stores nothing', async ({ assert }) => {
    const { body: made } = await post(TOOLS, { name: 'plane', price: 1 })
    const count = async () => {
      const { body } = await get(`${TOOLS}?limit=0`)
      return body.total_count
    }
    const before = await count()
    const headers = { accept: 'text/html' }
    const path = `${TOOLS}/${made.id}`
    for (const response of [
      await post(TOOLS, { name: 'x', price: 1 }, { headers }),
      await patch(path, { name: 'x' }, { headers }),
      await call('DELETE', path, { headers }),
    ]) {
      assert.equal(response.status, 406)
    }
    assert.equal(await count(), before)
    const { body } = await get(path)
    assert.equal(body.name, 'plane')
  })

  test('[W10.12] PATCH accepts application/merge-patch+json, and other methods do not', async ({
    assert,
  }) => {
    const headers = { 'content-type': 'application/merge-patch+json' }
    const { body: made } = await post(TOOLS, { name: 'rasp', price: 1 })
    const path = `${TOOLS}/${made.id}`
    const changed = await patch(path, { price: 3 }, { headers })
    assert.equal(changed.status, 200)
    const { body } = await get(path)
    assert.deepEqual(body, { id: made.id, name: 'rasp', price: 3 })
    const nested = await patch(path, { name: { a: 1 }, price: 4 }, { headers })
    assert.equal(nested.status, 422)
    assert.deepInclude(nested.body.errors[0], { field: 'name', rule: 'merge' })
    const created = await post(TOOLS, { name: 'x', price: 1 }, { headers })
    assert.equal(created.status, 415)
  })
})
