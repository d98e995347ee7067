import { gzipSync } from 'node:zlib'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import { call, get, patch, post, urlOf } from '#tests/helpers/http'
import { onMysql } from '#tests/helpers/databases'
import { runs } from '#tests/helpers/random_runs'

const raw = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  call('POST', path, { body, headers: { 'content-type': 'application/json', ...headers } })

const nested = (levels: number) => '['.repeat(levels - 1) + ']'.repeat(levels - 1)

const fieldsOf = (response: { body: any }) => response.body.errors.map((error: any) => error.field)

test.group('Refused bodies', (group) => {
  group.each.setup(async () => {
    await db.from('samples').delete()
    await db.from('leads').delete()
  })

  test('[A6] one response lists all invalid fields of a body', async ({ assert }) => {
    const response = await post('/api/samples', {
      name: 'x'.repeat(21),
      count: 'many',
      big: 1.5,
      ratio: {},
      active: 'perhaps',
      day: '2024-02-30',
      moment: 'yesterday',
      plain_moment: 5,
      clock: '25:00',
      bytes: '!',
      token: 'no-uuid',
      status: 'lost',
      code: 'x'.repeat(11),
    })
    assert.equal(response.status, 422)
    assert.sameMembers(fieldsOf(response), [
      'name',
      'count',
      'big',
      'ratio',
      'active',
      'day',
      'moment',
      'plain_moment',
      'clock',
      'bytes',
      'token',
      'status',
      'code',
    ])
    for (const error of response.body.errors) {
      assert.sameMembers(Object.keys(error), ['field', 'rule', 'message'])
    }
    assert.lengthOf(await db.from('samples'), 0)
  })

  test('[A6] errors of the schema do not hide database errors of other columns', async ({
    assert,
  }) => {
    const response = await post('/api/leads-by-attribute', {
      full_name: 'longer than ten characters',
      mail: 'not a mail address',
      phone_number: '1234567',
    })
    assert.sameMembers(fieldsOf(response), ['full_name', 'mail', 'phone_number'])
  })

  test('[A6] an invalid field does not hide the errors of other fields', async ({ assert }) => {
    const errors: Record<string, unknown> = {
      name: null,
      count: '',
      ratio: true,
      active: 'x',
      day: 'x',
      moment: 'x',
      clock: 'x',
      bytes: 'x',
      token: 'x',
      status: 'x',
      code: 'a\0b',
      long_text: 5,
    }
    await fc.assert(
      fc.asyncProperty(fc.subarray(Object.keys(errors), { minLength: 1 }), async (fields) => {
        const body = Object.fromEntries(fields.map((field) => [field, errors[field]]))
        for (const path of ['/api/samples', '/api/samples-by-hand']) {
          const response = await post(path, { name: 'fine', ...body })
          assert.equal(response.status, 422)
          assert.sameMembers(fieldsOf(response), fields)
        }
      }),
      { numRuns: runs(50) }
    )
    assert.lengthOf(await db.from('samples'), 0)
  })

  test('[A6] malformed JSON is 400: {body}')
    .with([
      { body: '{"name":' },
      { body: '{name:1}' },
      { body: '' },
      { body: '{"name":"a"}}' },
      { body: '{"name":"a\tb"}' },
      { body: '{"name":01}' },
      { body: 'NaN' },
    ])
    .run(async ({ assert }, { body }) => {
      const response = await raw('/api/samples', body)
      assert.equal(response.status, 400)
      assert.match(response.body.detail, /^The body is not valid JSON: /)
      /* The response does not quote the body. */
      if (body) assert.notInclude(response.body.detail, body)
    })

  test('[A6] JSON other than an object is 422: {body}')
    .with([{ body: '[]' }, { body: '"x"' }, { body: 'null' }, { body: '5' }, { body: 'true' }])
    .run(async ({ assert }, { body }) => {
      for (const [method, path] of [
        ['POST', '/api/samples'],
        ['PATCH', '/api/samples/1'],
      ]) {
        const headers = { 'content-type': 'application/json' }
        const response = await call(method, path, { body, headers })
        assert.equal(response.status, 422)
        assert.equal(response.body.detail, 'The body must be a JSON object')
      }
    })

  test('[A6] a body over 1 MB is 413, with or without a declared length', async ({ assert }) => {
    const limit = 1024 * 1024
    const fill = (length: number) => `{"name":"a","unknown":"${'x'.repeat(length - 25)}"}`
    assert.lengthOf(fill(limit), limit)
    const fits = await raw('/api/samples', fill(limit))
    assert.equal(fits.status, 201)

    const announced = await raw('/api/samples', fill(limit + 1))
    assert.equal(announced.status, 413)
    const streamed = await fetch(urlOf('/api/samples'), {
      method: 'POST',
      body: ReadableStream.from([Buffer.from(fill(limit + 1))]),
      headers: { 'content-type': 'application/json' },
      duplex: 'half',
    } as RequestInit)
    assert.equal(streamed.status, 413)
    const packed = await raw('/api/samples', gzipSync(fill(limit + 1)), {
      'content-encoding': 'gzip',
    })
    assert.equal(packed.status, 413)
    assert.equal(packed.body.title, 'Payload Too Large')
    assert.lengthOf(await db.from('samples'), 1)
  })

  test('[A6] content type {type} is 415')
    .with([
      { type: 'text/plain' },
      { type: 'text/xml' },
      { type: 'application/json-patch+json' },
      { type: 'multipart/form-data; boundary=x' },
      { type: 'application/json; charset=utf-16' },
    ])
    .run(async ({ assert }, { type }) => {
      for (const [method, path] of [
        ['POST', '/api/samples'],
        ['PATCH', '/api/samples/1'],
      ]) {
        const headers = { 'content-type': type }
        const response = await call(method, path, { body: '{"name":"a"}', headers })
        assert.equal(response.status, 415)
        assert.match(response.headers.get('content-type')!, /^application\/problem\+json/)
      }
    })

  test('[A6] a body without a content type is 415, and a request without a body has no fields', async ({
    assert,
  }) => {
    const bare = await call('POST', '/api/samples', { body: Buffer.from('{"name":"a"}') })
    assert.equal(bare.status, 415)
    const none = await call('POST', '/api/samples')
    assert.equal(none.status, 422)
    assert.deepEqual(fieldsOf(none), ['name'])
  })

  test('[A6] JSON with the parameter charset is accepted, in any case', async ({ assert }) => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON;Charset="UTF-8"']) {
      const response = await raw('/api/samples', '{"name":"ä"}', { 'content-type': type })
      assert.equal(response.status, 201)
    }
  })

  test('[A29] a body can have 32 levels and not 33, and brackets in texts are not counted as levels', async ({
    assert,
  }) => {
    const deepest = await raw('/api/samples', `{"name":"a","data":${nested(32)}}`)
    assert.equal(deepest.status, 201)
    const read = await get(`/api/samples/${deepest.body.id}`)
    assert.equal(JSON.stringify(read.body.data), nested(32))

    const deeper = await raw('/api/samples', `{"name":"a","data":${nested(33)}}`)
    assert.equal(deeper.status, 400)
    const unknown = await raw('/api/samples', `{"name":"a","unknown":${nested(33)}}`)
    assert.equal(unknown.status, 400)

    const text = await post('/api/samples', { name: 'a', long_text: `\\"${'[{'.repeat(50)}` })
    assert.equal(text.status, 201)
  })

  test('[A29, A20] an integer of 1,000 digits is accepted, and a longer one is refused, anywhere in the body', async ({
    assert,
  }) => {
    const longest = '9'.repeat(1000)
    const taken = await raw('/api/samples', `{"name":"a","data":[-${longest}],"x":${longest}}`)
    assert.equal(taken.status, 201)
    assert.deepEqual(taken.body.data, [`-${longest}`])

    for (const body of [
      `{"name":"a","data":[${longest}9]}`,
      `{"name":"a","data":{"x":-${longest}9}}`,
      `{"name":"a","unknown":${longest}9}`,
      `{"name":"a","count":${'9'.repeat(500_000)}}`,
    ]) {
      const response = await raw('/api/samples', body)
      assert.equal(response.status, 400)
      assert.equal(response.body.detail, 'The body has an integer of more than 1000 digits')
    }
    /* Texts and fractions with as many digits are accepted. */
    const others = `{"name":"a","data":["${longest}99",0.${longest}99]}`
    const plain = await raw('/api/samples', others)
    assert.equal(plain.status, 201)
  })

  test('[A29] the last of duplicate JSON keys is used', async ({ assert }) => {
    const response = await raw(
      '/api/samples',
      '{"name":"a","count":1,"name":"b","count":"x","count":2}'
    )
    assert.equal(response.status, 201)
    assert.deepInclude(response.body, { name: 'b', count: 2 })
  })

  test('[A29] __proto__ in a body is an unknown field', async ({ assert }) => {
    const response = await raw('/api/samples', '{"__proto__":{"name":"evil","count":9},"name":"a"}')
    assert.equal(response.status, 201)
    assert.deepInclude(response.body, { name: 'a', count: null })
    const alone = await raw('/api/samples', '{"__proto__":{"name":"evil"}}')
    assert.deepEqual(fieldsOf(alone), ['name'])
    const constructed = await raw('/api/samples', '{"constructor":{"prototype":{"name":"evil"}}}')
    assert.deepEqual(fieldsOf(constructed), ['name'])
    assert.notProperty({}, 'name')

    const form = await raw('/api/samples', '__proto__[name]=evil&__proto__=x&name=b', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    assert.equal(form.body.name, 'b')
  })

  test("[A29] a request can't override its HTTP method", async ({ assert }) => {
    const { body } = await post('/api/samples', { name: 'a' })
    for (const path of [`/api/samples?_method=DELETE`, '/api/samples']) {
      const response = await raw(path, '_method=DELETE&name=b', {
        'content-type': 'application/x-www-form-urlencoded',
        'x-http-method-override': 'DELETE',
      })
      assert.equal(response.status, 201)
    }
    const item = await raw(`/api/samples/${body.id}?_method=PATCH`, '{"_method":"PATCH"}')
    assert.equal(item.status, 405)
    assert.lengthOf(await db.from('samples'), 3)
  })
})

test.group('Values in bodies', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  group.each.setup(async () => {
    await db.from('samples').delete()
    await db.from('coins').delete()
  })

  test('[A28] a number column accepts a JSON number or a plain numeral: {value}')
    .with([
      { value: '5', count: 5 },
      { value: '"5"', count: 5 },
      { value: '-7', count: -7 },
      { value: '"-7"', count: -7 },
      { value: '5.0', count: 5 },
      { value: '5e2', count: 500 },
      { value: '0', count: 0 },
    ])
    .run(async ({ assert }, { value, count }) => {
      const response = await raw('/api/samples', `{"name":"a","count":${value}}`)
      assert.equal(response.status, 201)
      assert.strictEqual(response.body.count, count)
    })

  test('[A28] a number column refuses other values: {value}')
    .with(
      [
        'true',
        'false',
        '""',
        '" "',
        '[5]',
        '{}',
        '"0x10"',
        '"1e3"',
        '"+5"',
        '" 5"',
        '"5 "',
        '"٣"',
        '"Infinity"',
        '"1_000"',
        '1e400',
      ].map((value) => ({ value }))
    )
    .run(async ({ assert }, { value }) => {
      for (const field of ['count', 'big', 'ratio']) {
        for (const path of ['/api/samples', '/api/samples-by-hand']) {
          const response = await raw(path, `{"name":"a","${field}":${value}}`)
          assert.equal(response.status, 422, `${path} ${field}`)
          assert.deepEqual(fieldsOf(response), [field])
        }
      }
    })

  test('[A28] an integer column refuses a fraction, a decimal column accepts it', async ({
    assert,
  }) => {
    for (const count of [1.5, '1.5', '1.0']) {
      const response = await post('/api/samples', { name: 'a', count })
      assert.deepEqual(fieldsOf(response), ['count'])
    }
    const response = await post('/api/samples', { name: 'a', ratio: '1.50' })
    assert.equal(response.body.ratio, 1.5)
  })

  test('[A28] any string is stored as it was sent', async ({ assert }) => {
    for (const text of ['', '  both sides  ', '\t', 'null', '5', 'e\u0301', '👩‍🚀']) {
      const response = await post('/api/samples', { name: text, long_text: text })
      assert.equal(response.status, 201)
      assert.deepInclude(response.body, { name: text, long_text: text })
    }
  })

  test('[A28] a text column refuses other types', async ({ assert }) => {
    for (const name of [5, true, {}, ['a']]) {
      const response = await post('/api/samples', { name })
      assert.equal(response.status, 422)
      assert.deepEqual(fieldsOf(response), ['name'])
    }
  })

  test('[A28] null is written to a nullable column, and an absent field gets the default', async ({
    assert,
  }) => {
    const response = await post('/api/samples', {
      name: 'a',
      count: null,
      active: null,
      data: null,
    })
    assert.deepInclude(response.body, { count: null, active: null, data: null, status: 'draft' })
    const refused = await post('/api/samples', { name: 'a', status: null })
    assert.deepEqual(fieldsOf(refused), ['status'])
  })

  test('[A20] the value {sent} is stored as {stored}')
    .with([
      { sent: '2024-05-06 07:08:09', stored: '2024-05-06 07:08:09' },
      { sent: '2024-05-06T07:08:09', stored: '2024-05-06 07:08:09' },
      { sent: '2024-05-06T07:08', stored: '2024-05-06 07:08:00' },
      { sent: '2024-05-06', stored: '2024-05-06 00:00:00' },
      { sent: '2024-05-06T07:08:09Z', stored: '2024-05-06 07:08:09' },
      { sent: '2024-05-06t07:08:09z', stored: '2024-05-06 07:08:09' },
      { sent: '2024-05-06T07:08:09.999Z', stored: '2024-05-06 07:08:09' },
      { sent: '2024-05-06T00:30:00+02:00', stored: '2024-05-05 22:30:00' },
      { sent: '2024-05-06 07:08:09-0530', stored: '2024-05-06 12:38:09' },
      { sent: '2024-05-06T07:08:09+01', stored: '2024-05-06 06:08:09' },
      /* Hours that do not exist, or exist twice, at a clock change */
      { sent: '2024-03-31 02:30:00', stored: '2024-03-31 02:30:00' },
      { sent: '2024-10-27 02:30:00', stored: '2024-10-27 02:30:00' },
      { sent: '2024-03-10 02:30:00', stored: '2024-03-10 02:30:00' },
      { sent: '2024-02-29T23:59:59-01:00', stored: '2024-03-01 00:59:59' },
    ])
    .run(async ({ assert }, { sent, stored }) => {
      for (const path of ['/api/samples', '/api/samples-by-hand']) {
        const created = await post(path, { name: 'a', moment: sent, plain_moment: sent })
        assert.equal(created.status, 201, path)
        assert.deepInclude(created.body, { moment: stored, plain_moment: stored })
        const [row] = await db.from('samples').where('id', created.body.id)
        assert.deepInclude(row, { moment: stored, plain_moment: stored })
      }
    })

  test('[A20] an invalid datetime is refused: {sent}')
    .with(
      [
        '2024-02-30 00:00:00',
        '2024-13-01',
        '2024-05-06 25:00:00',
        '2024-05-06T07:08:09+99:00',
        '2024-05-06T07:08:09+01:60',
        '0000-01-01 00:00:00',
        '9999-12-31T23:59:59-01:00',
        '06.05.2024',
        '2024-W10-1',
        '1714979289',
        'now',
        '',
      ].map((sent) => ({ sent }))
    )
    .run(async ({ assert }, { sent }) => {
      for (const field of ['moment', 'plain_moment']) {
        const response = await post('/api/samples', { name: 'a', [field]: sent })
        assert.equal(response.status, 422)
        assert.deepEqual(fieldsOf(response), [field])
      }
    })

  test('[A20] only YYYY-MM-DD is accepted as a date', async ({ assert }) => {
    const created = await post('/api/samples', { name: 'a', day: '2024-02-29' })
    assert.equal(created.body.day, '2024-02-29')
    for (const day of ['2023-02-29', '2024-02-29 10:00:00', '2024-2-9', '2024-02-29T00:00:00Z']) {
      const response = await post('/api/samples', { name: 'a', day })
      assert.deepEqual(fieldsOf(response), ['day'], day)
    }
  })

  test('[A20] every digit of {digits} is preserved in writing and reading')
    .with(
      [
        '9007199254740991',
        '9007199254740992',
        '9007199254740993',
        '-9007199254740993',
        '1234567890123456789',
        '9223372036854775807',
        '-9223372036854775808',
      ].map((digits) => ({ digits }))
    )
    .run(async ({ assert }, { digits }) => {
      const isSafe = Number.isSafeInteger(Number(digits))
      const apiName = isSafe ? Number(digits) : digits
      for (const sent of [digits, `"${digits}"`]) {
        for (const path of ['/api/samples', '/api/samples-by-hand']) {
          const created = await raw(path, `{"name":"a","big":${sent},"count":${sent}}`)
          assert.equal(created.status, 201)
          assert.deepInclude(created.body, { big: apiName, count: apiName })
        }
      }
      const changed = await call('PATCH', `/api/samples/${await firstId()}`, {
        body: `{"big":${digits}}`,
        headers: { 'content-type': 'application/json', 'prefer': 'return=representation' },
      })
      assert.strictEqual(changed.body.big, apiName)

      const list = await get(`/api/samples?big=${digits}`)
      assert.equal(list.body.total_count, 4)
      assert.isTrue(
        list.body.data.every((item: any) => item.big === apiName && item.count === apiName)
      )
      const neighbour = await get(
        `/api/samples?big=${BigInt(digits) - BigInt(Math.sign(Number(digits)))}`
      )
      assert.equal(neighbour.body.total_count, 0)
      const texts = await db
        .from('samples')
        .select(db.raw(`cast(big as ${onMysql ? 'char' : 'text'}) as digits`))
      assert.isTrue(texts.every((row) => row.digits === digits))
    })

  test('[A20] a key beyond 2^53 preserves its digits everywhere', async ({ assert }) => {
    const created = await raw('/api/coins', '{"id":9007199254740993,"name":"rare"}')
    assert.equal(created.headers.get('location'), '/api/coins/9007199254740993')
    assert.equal(created.body.id, '9007199254740993')
    const read = await get('/api/coins/9007199254740993')
    assert.equal(read.body.id, '9007199254740993')
    const other = await get('/api/coins/9007199254740992')
    assert.equal(other.status, 404)
    await patch('/api/coins/9007199254740993', { name: 'rarer' })
    const list = await get('/api/coins')
    assert.deepEqual(list.body.data, [{ id: '9007199254740993', name: 'rarer' }])
  })

  test('[A20] integers of more than 64 bits are refused', async ({ assert }) => {
    for (const digits of ['9223372036854775808', '-9223372036854775809', '1'.repeat(40)]) {
      for (const sent of [digits, `"${digits}"`]) {
        const response = await raw('/api/samples', `{"name":"a","big":${sent}}`)
        assert.equal(response.status, 422)
        assert.deepEqual(fieldsOf(response), ['big'])
      }
    }
  })

  test('[A20] an integer in JSON that a double would round is stored as text', async ({
    assert,
  }) => {
    const created = await raw(
      '/api/samples',
      '{"name":"a","data":{"id":12345678901234567890,"list":[9007199254740993,1.5,7,1152921504606847000]}}'
    )
    assert.equal(created.status, 201)
    assert.deepEqual(created.body.data, {
      id: '12345678901234567890',
      list: ['9007199254740993', 1.5, 7, 1152921504606847000],
    })
    const alone = await raw('/api/samples', '{"name":"a","data":9007199254740993}')
    assert.equal(alone.body.data, '9007199254740993')

    await db.from('samples').update({ data: '{"n":9007199254740993}' })
    const read = await get(`/api/samples/${created.body.id}`)
    assert.deepEqual(read.body.data, { n: '9007199254740993' })
  })

  test('[A20] an unknown field with a huge integer is ignored', async ({ assert }) => {
    const response = await raw('/api/samples', '{"name":"a","x":[12345678901234567890]}')
    assert.equal(response.status, 201)
    const text = await raw('/api/samples', '{"name":[12345678901234567890]}')
    assert.deepEqual(fieldsOf(text), ['name'])
  })

  test('[A20] booleans are JSON booleans, floats and decimals JSON numbers', async ({ assert }) => {
    const created = await post('/api/samples', { name: 'a', active: true, ratio: 0.1 })
    assert.strictEqual(created.body.active, true)
    assert.strictEqual(created.body.ratio, 0.1)
    await patch(`/api/samples/${created.body.id}`, { active: false, ratio: -12.5 })
    const list = await get('/api/samples')
    assert.strictEqual(list.body.data[0].active, false)
    assert.strictEqual(list.body.data[0].ratio, -12.5)
    const [row] = await db.from('samples')
    assert.isFalse(Boolean(row.active))
  })

  test('[A20] random valid values are unchanged after a POST and a GET, and after a PATCH and a GET', async ({
    assert,
  }) => {
    const text = (maxLength: number) =>
      fc.string({ unit: ANY_CHARACTER, maxLength }).filter((value) => !value.includes('\0'))
    const moment = fc
      .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 19).replace('T', ' '))
    const integer = fc.oneof(
      fc.maxSafeInteger(),
      fc
        .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
        .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)))
    )
    const nullable = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { freq: 8 })
    const values = fc.record({
      name: text(20),
      long_text: nullable(text(200)),
      count: nullable(integer),
      big: nullable(integer),
      ratio: nullable(fc.double({ noNaN: true, noDefaultInfinity: true })),
      active: nullable(fc.boolean()),
      day: nullable(moment.map((value) => value.slice(0, 10))),
      moment: nullable(moment),
      plain_moment: nullable(moment),
      clock: nullable(moment.map((value) => value.slice(11))),
      data: nullable(
        fc
          .jsonValue({ stringUnit: 'binary' })
          .filter((value) => !JSON.stringify(value).includes('\\u0000'))
      ),
      bytes: nullable(fc.uint8Array().map((value) => Buffer.from(value).toString('base64'))),
      token: nullable(fc.uuid()),
      status: fc.constantFrom('draft', 'sent', 'paid'),
    })

    await fc.assert(
      fc.asyncProperty(values, values, async (first, second) => {
        const created = await post('/api/samples', first)
        assert.equal(created.status, 201, created.text)
        const path = `/api/samples/${created.body.id}`
        for (const expected of [first, second]) {
          if (expected === second) await patch(path, second)
          const read = await get(path)
          const apiName = JSON.parse(JSON.stringify(expected))
          for (const field of Object.keys(apiName)) {
            assert.deepEqual(read.body[field], apiName[field], field)
          }
        }
      }),
      { numRuns: runs(60) }
    )
  })
})

async function firstId() {
  const row = await db.from('samples').orderBy('id').firstOrFail()
  return row.id
}
