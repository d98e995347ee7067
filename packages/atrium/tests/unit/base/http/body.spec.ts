import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'
import { Problem } from '#crud'
import { readBody } from '#base/http/body'

const LIMITS = { limit: 100, depth: 4 }

/** A request as the server passes it on. */
function contextOf(body: string | Buffer, headers: Record<string, string | undefined> = {}) {
  const request = new IncomingMessage(new Socket())
  Object.assign(request.headers, { 'content-type': 'application/json', ...headers })
  request.push(body)
  request.push(null)
  request.complete = true
  return { request: { request, raw: () => null } } as unknown as HttpContext
}

const read = (body: string | Buffer, headers?: Record<string, string | undefined>) =>
  readBody(contextOf(body, headers), LIMITS)

function statusOf(body: string | Buffer, headers?: Record<string, string | undefined>) {
  return statusOfReading(contextOf(body, headers))
}

async function statusOfReading(ctx: unknown) {
  try {
    await readBody(ctx as HttpContext, LIMITS)
    return 200
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.status
  }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test.group('JSON bodies', () => {
  test('[A6] an object is parsed, malformed JSON is a 400, and any other value is a 422', async ({
    assert,
  }) => {
    assert.deepEqual(await read('{"a":1}'), { a: 1 })
    assert.deepEqual(await read('\ufeff{"a":1}'), { a: 1 })
    for (const text of ['', ' ', '{', "{'a':1}", '{"a":1,}', '{"a":1}x', '[1', 'undefined']) {
      assert.equal(await statusOf(text), 400, text)
    }
    for (const text of ['null', '[]', '1', '"a"', 'false']) {
      assert.equal(await statusOf(text), 422, text)
    }
  })

  test('[A29] the depth of JSON is counted outside strings, up to the limit', async ({
    assert,
  }) => {
    assert.equal(await statusOf('{"a":{"b":[{"c":1}],"d":[[]]}}'), 200)
    assert.equal(await statusOf('{"a":{"b":[{"c":[]}]}}'), 400)
    assert.equal(await statusOf(`{"a":"${'[{'.repeat(20)}"}`), 200)
    assert.equal(await statusOf(`{"a\\"[[[[[":"\\\\","b":[[[]]]}`), 200)
    assert.equal(await statusOf(`{"a":"\\\\","b":[[[[]]]]}`), 400)
  })

  test('[A29] the last of duplicate keys is used, also if the body has huge integers', async ({
    assert,
  }) => {
    assert.deepEqual(await read('{"a":1,"a":2}'), { a: 2 })
    assert.deepEqual(await read('{"a":12345678901234567890,"a":12345678901234567891}'), {
      a: 12345678901234567891n,
    })
  })

  test('[A29] __proto__ in a body does not become a prototype', async ({ assert }) => {
    for (const [text, headers] of [
      ['{"__proto__":{"a":1}}', {}],
      ['{"__proto__":{"a":1},"b":12345678901234567890}', {}],
      ['__proto__=a', FORM],
    ] as const) {
      const body = await read(text, headers)
      assert.strictEqual(Object.getPrototypeOf(body), Object.prototype)
      assert.isUndefined(body.a)
    }
  })

  test('[A6] a body over the limit is 413, with or without a declared length or compression', async ({
    assert,
  }) => {
    const fits = `{"a":"${'x'.repeat(92)}"}`
    const over = `{"a":"${'x'.repeat(93)}"}`
    assert.equal(await statusOf(fits), 200)
    assert.equal(await statusOf(over), 413)
    assert.equal(await statusOf('{}', { 'content-length': '101' }), 413)
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ] as const) {
      assert.equal(await statusOf(pack(fits), { 'content-encoding': encoding }), 200)
      assert.equal(await statusOf(pack(over), { 'content-encoding': encoding }), 413)
      assert.equal(await statusOf('{}', { 'content-encoding': encoding }), 400)
    }
    assert.equal(await statusOf('{}', { 'content-encoding': 'compress' }), 415)
  })

  test('[A29] an interrupted body is a 400, and a body that was read before is empty', async ({
    assert,
  }) => {
    const ctx = contextOf('{}')
    await readBody(ctx, LIMITS)
    await assert.rejects(() => readBody(ctx, LIMITS), 'The body is not valid JSON: it is empty')

    for (const headers of [{}, { 'content-encoding': 'gzip' }]) {
      const message = new IncomingMessage(new Socket())
      Object.assign(message.headers, { 'content-type': 'application/json', ...headers })
      message.push('{"a":')
      const reading = statusOfReading({ request: { request: message, raw: () => null } })
      setImmediate(() => message.destroy())
      assert.equal(await reading, 400)
    }
  })

  test('[A6] a body with bytes that are not UTF-8 is a 400', async ({ assert }) => {
    assert.equal(await statusOf(Buffer.from([0x7b, 0x22, 0xc3, 0x22, 0x3a, 0x31, 0x7d])), 400)
  })
})

test.group('Bodies of other content types', () => {
  test('[A6] a form body is parsed, and a repeated field is a list', async ({ assert }) => {
    assert.deepEqual(await read('a=1&b=x+y&b=%C3%A4&c=', FORM), {
      a: '1',
      b: ['x y', 'ä'],
      c: '',
    })
  })

  test('[A6] content type "{type}" is {status}')
    .with([
      { type: 'application/json', status: 200 },
      { type: 'APPLICATION/JSON ; charset="utf8"', status: 200 },
      { type: 'application/x-www-form-urlencoded; charset=UTF-8', status: 200 },
      { type: 'application/json; charset=latin1', status: 415 },
      { type: 'application/json-patch+json', status: 415 },
      { type: 'application/problem+json', status: 415 },
      { type: 'multipart/form-data', status: 415 },
      { type: 'text/plain', status: 415 },
      { type: 'application/json, text/plain', status: 415 },
    ])
    .run(async ({ assert }, { type, status }) => {
      assert.equal(await statusOf('{}', { 'content-type': type }), status)
    })

  test('[A6] without a content type an empty body is accepted, and any other is 415', async ({
    assert,
  }) => {
    for (const type of [undefined, '', ' ']) {
      assert.deepEqual(await read('', { 'content-type': type }), {})
      assert.equal(await statusOf('{}', { 'content-type': type }), 415)
    }
  })
})
