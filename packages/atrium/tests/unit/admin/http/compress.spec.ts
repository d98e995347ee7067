import { test } from '@japa/runner'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { compressResponse } from '#admin/http/compress'

const PAGE = `<!doctype html>${'<p>Ä page</p>'.repeat(200)}`

/** Body and headers of the compressed response. */
async function compressed(
  body: unknown,
  { accepted = 'gzip, br', headers = {} }: { accepted?: string; headers?: object } = {}
) {
  const ctx = new HttpContextFactory().create()
  ctx.request.request.headers['accept-encoding'] = accepted
  for (const [name, value] of Object.entries(headers)) ctx.response.header(name, value)
  if (body !== undefined) ctx.response.send(body)
  await compressResponse(ctx)
  return { body: ctx.response.getBody(), header: (name: string) => ctx.response.getHeader(name) }
}

test.group('Compression of responses', () => {
  test('a page is sent in the smallest accepted encoding', async ({ assert }) => {
    const brotli = await compressed(PAGE)
    assert.equal(brotli.header('content-encoding'), 'br')
    assert.equal(brotliDecompressSync(brotli.body).toString(), PAGE)
    assert.equal(brotli.header('content-type'), 'text/html; charset=utf-8')
    assert.equal(brotli.header('vary'), 'Accept-Encoding')
    const gzip = await compressed(PAGE, { accepted: 'gzip, br;q=0' })
    assert.equal(gzip.header('content-encoding'), 'gzip')
    assert.equal(gunzipSync(gzip.body).toString(), PAGE)
  })

  test('without an accepted encoding the body is unchanged, and Vary is set', async ({
    assert,
  }) => {
    const plain = await compressed(PAGE, { accepted: 'deflate' })
    assert.equal(plain.body, PAGE)
    assert.isUndefined(plain.header('content-encoding'))
    assert.equal(plain.header('vary'), 'Accept-Encoding')
  })

  test('a response that is encoded, tagged, small or binary is not compressed', async ({
    assert,
  }) => {
    const encoded = await compressed(PAGE, { headers: { 'content-encoding': 'gzip' } })
    assert.equal(encoded.body, PAGE)
    assert.equal(encoded.header('content-encoding'), 'gzip')
    const bytes = Buffer.alloc(5000)
    for (const [body, headers] of [
      [PAGE, { etag: '"1"' }],
      ['<p>small</p>', {}],
      [bytes, {}],
      [{ text: PAGE }, {}],
    ] as const) {
      const left = await compressed(body, { headers })
      assert.strictEqual(left.body, body)
      assert.isUndefined(left.header('content-encoding'))
    }
    const nothing = await compressed(undefined)
    assert.isNull(nothing.body)
  })

  test('compression does not change the content type', async ({ assert }) => {
    const json = 'application/problem+json; charset=utf-8'
    const problem = await compressed(JSON.stringify({ detail: 'x'.repeat(2000) }), {
      headers: { 'content-type': json },
    })
    assert.equal(problem.header('content-type'), json)
    const text = await compressed('x'.repeat(2000))
    assert.equal(text.header('content-type'), 'text/plain; charset=utf-8')
  })
})
