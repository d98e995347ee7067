import { test } from '@japa/runner'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { resources } from '#crud'
import { prepareAsSent, prepareForSchema } from '#base/values/before_schema'
import { toAttribute } from '#base/values/to_attribute'
import { Consignment } from '#tests/fixtures/writes'
import { Sample } from '#tests/fixtures/samples'

const column = (name: string, model: unknown = Sample) =>
  resources
    .all()
    .find((resource) => resource.model === model)!
    .columns.find(name)!

test.group('Values before the schema validates them', () => {
  test('[A28] a number column accepts only numbers and plain numerals', ({ assert }) => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.jsonValue()), (value) => {
        const isPlain = typeof value === 'number' || typeof value === 'bigint'
        const isNumeral = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
        fc.pre(value !== null)
        for (const name of ['count', 'ratio']) {
          const { error } = prepareForSchema(column(name), value)
          if (!isPlain && !isNumeral) assert.isDefined(error, name)
        }
      })
    )
    assert.deepEqual(prepareForSchema(column('ratio'), '-12.50'), { value: -12.5 })
    assert.deepEqual(prepareForSchema(column('count'), '12'), { value: 12, exact: 12 })
    assert.equal(prepareForSchema(column('count'), 1.5).error!.rule, 'integer')
    assert.equal(prepareForSchema(column('ratio'), Infinity).error!.rule, 'number')
    assert.equal(prepareForSchema(column('ratio'), '1'.repeat(400)).error!.rule, 'number')
  })

  test('[A20] the schema receives a huge integer as a number, and its digits are still stored', ({
    assert,
  }) => {
    const digits = '9007199254740993'
    for (const value of [digits, BigInt(digits)]) {
      assert.deepEqual(prepareForSchema(column('big'), value), {
        value: 9007199254740992,
        exact: digits,
      })
    }
  })

  test('[A20] a datetime is normalized for schemas, and a date is not', ({ assert }) => {
    const moment = column('moment')
    assert.deepEqual(prepareForSchema(moment, '2024-05-06T00:30:00+02:00'), {
      value: '2024-05-05 22:30:00',
    })
    assert.deepEqual(prepareForSchema(moment, '2024-05-06'), { value: '2024-05-06' })
    assert.deepEqual(prepareForSchema(moment, '06.05.2024'), { value: '06.05.2024' })
    assert.deepEqual(prepareForSchema(moment, 5), { value: 5 })
  })

  test('[A28] texts, null and values of unknown fields reach the schema unchanged', ({
    assert,
  }) => {
    for (const value of ['', ' x ', '5']) {
      assert.deepEqual(prepareForSchema(column('name'), value), { value })
      assert.deepEqual(prepareForSchema(undefined, value), { value })
    }
    for (const name of ['name', 'count', 'ratio', 'moment', 'data']) {
      assert.deepEqual(prepareForSchema(column(name), null), { value: null })
    }
  })

  test('[A8] NUL and invalid characters are errors for every column', ({ assert }) => {
    for (const name of ['name', 'count', 'moment', 'data', 'token', 'status']) {
      for (const value of ['a\0', '\udc00', ['\0'], { a: { '\0': 1 } }]) {
        assert.equal(prepareForSchema(column(name), value).error!.rule, 'text')
      }
    }
    assert.equal(prepareForSchema(undefined, 'a\0').error!.rule, 'text')
  })

  test('[A20] a schema receives no BigInt', ({ assert }) => {
    const deep = { a: [9007199254740993n] }
    for (const one of [column('data'), column('name'), undefined]) {
      assert.deepEqual(prepareForSchema(one, deep).value, { a: ['9007199254740993'] })
    }
    assert.strictEqual(prepareForSchema(column('name'), 9007199254740993n).value, 2 ** 53)
  })
})

test.group('Values before a custom schema of the model', () => {
  test('[A28] a custom schema receives the sent values of all columns', ({ assert }) => {
    const sent = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.double(),
      fc.boolean(),
      fc.constant(null)
    )
    fc.assert(
      fc.property(sent, (value) => {
        fc.pre(typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0')))
        for (const name of ['count', 'big', 'ratio', 'active', 'day', 'moment', 'clock', 'token']) {
          assert.deepEqual(prepareAsSent(column(name), value).value, value, name)
        }
      })
    )
  })

  test('[A28] a number schema does not receive booleans, empty texts, lists or hexadecimal numbers', ({
    assert,
  }) => {
    for (const value of [true, '', ' ', [5], {}, '0x10', '1e3', '+5']) {
      assert.equal(prepareAsSent(column('count'), value, 'number').error!.rule, 'integer')
      assert.equal(prepareAsSent(column('ratio'), value, 'number').error!.rule, 'number')
      assert.isUndefined(prepareAsSent(column('ratio'), value).error)
    }
    for (const value of [null, 5, 5n, '5', '-12.50']) {
      assert.isUndefined(prepareAsSent(column('count'), value, 'number').error)
    }
  })
})

test.group('Values after the schema has validated them', () => {
  const errorOf = (name: string, value: unknown) => toAttribute(column(name), value).error?.rule

  test('[A28] null is accepted by nullable columns only', ({ assert }) => {
    assert.deepEqual(toAttribute(column('count'), null), { value: null })
    assert.equal(errorOf('name', null), 'nullable')
    assert.equal(errorOf('createdAt', null), 'nullable')
  })

  test('[A8] a text must fit its column, counted in characters', ({ assert }) => {
    assert.deepEqual(toAttribute(column('code'), '😀'.repeat(10)), { value: '😀'.repeat(10) })
    assert.equal(errorOf('code', '😀'.repeat(11)), 'maxLength')
    assert.include(toAttribute(column('code'), 'x'.repeat(11)).error!.message, '10 characters')
    assert.isUndefined(errorOf('longText', 'x'.repeat(100_000)))
  })

  test('[A20] the exact integer is stored unless the schema has changed it', ({ assert }) => {
    const big = column('big')
    const exact = '9007199254740993'
    assert.deepEqual(toAttribute(big, Number(exact), exact), { value: exact })
    assert.deepEqual(toAttribute(big, 5, exact), { value: 5 })
    assert.equal(toAttribute(big, 2 ** 60, exact).error!.rule, 'integer')
  })

  test("[A28] a value that the schema accepts and the column can't store is an error", ({
    assert,
  }) => {
    const wrong: Array<[string, unknown, string]> = [
      ['name', {}, 'string'],
      ['name', Number.NaN, 'string'],
      ['token', 'x', 'uuid'],
      ['token', 5, 'uuid'],
      ['count', 1.5, 'integer'],
      ['count', '5.0', 'integer'],
      ['count', 2n ** 63n, 'integer'],
      ['ratio', Number.NaN, 'number'],
      ['ratio', '1e3', 'number'],
      ['active', 'yes', 'boolean'],
      ['active', 2, 'boolean'],
      ['day', '2024-02-30', 'date'],
      ['day', '2024-02-29 and more', 'date'],
      ['moment', 'x', 'datetime'],
      ['moment', {}, 'datetime'],
      ['clock', '25:00', 'time'],
      ['clock', 5, 'time'],
      ['bytes', '!', 'base64'],
      ['bytes', 'QR==', 'base64'],
      ['bytes', 5, 'base64'],
    ]
    for (const [name, value, rule] of wrong) {
      assert.equal(errorOf(name, value), rule, `${name} ${value}`)
    }
  })

  test("[A28] a schema's value is converted to the column's type if that is lossless", ({
    assert,
  }) => {
    const right: Array<[string, unknown, unknown]> = [
      ['name', 5, '5'],
      ['longText', 1e21, '1000000000000000000000'],
      ['name', true, 'true'],
      ['longText', new Date('2024-05-06T07:08:09Z'), '2024-05-06 07:08:09'],
      ['count', '5', 5],
      ['count', 5n, 5],
      ['count', true, 1],
      ['big', '9007199254740993', '9007199254740993'],
      ['ratio', '12.50', 12.5],
      ['active', 'true', true],
      ['active', 0, false],
      ['bytes', new Uint8Array([65, 66]), Buffer.from('AB')],
      ['data', { deep: [9007199254740993n] }, '{"deep":["9007199254740993"]}'],
    ]
    for (const [name, value, expected] of right) {
      assert.deepEqual(toAttribute(column(name), value), { value: expected }, name)
    }
  })

  test("[A20] a datetime is converted to the type of the model's attribute", ({ assert }) => {
    const { value } = toAttribute(column('moment'), '2024-05-06 07:08:09')
    assert.isTrue(DateTime.isDateTime(value))
    assert.equal((value as DateTime).toISO(), '2024-05-06T07:08:09.000Z')
    assert.deepEqual(toAttribute(column('plainMoment'), new Date('2024-05-06T07:08:09Z')), {
      value: '2024-05-06 07:08:09',
    })
    const day = toAttribute(column('day'), new Date('2024-05-06T00:00:00Z')).value
    assert.equal((day as DateTime).toISODate(), '2024-05-06')
  })

  test('[A20] UUIDs are converted to lower case, JSON to text, and base64 to bytes', ({
    assert,
  }) => {
    const uuid = '3F2504E0-4F89-41D3-9A0C-0305E82C3301'
    assert.deepEqual(toAttribute(column('token'), uuid), { value: uuid.toLowerCase() })
    assert.deepEqual(toAttribute(column('data'), { a: [1] }), { value: '{"a":[1]}' })
    assert.deepEqual(toAttribute(column('data'), 'text'), { value: '"text"' })
    assert.deepEqual(toAttribute(column('bytes'), 'QUI='), { value: Buffer.from('AB') })
    assert.deepEqual(toAttribute(column('bytes'), 'QUI'), { value: Buffer.from('AB') })
    assert.deepEqual(toAttribute(column('clock'), '07:08'), { value: '07:08:00' })
  })

  test('[A20] a column with a custom prepare receives the value unchanged', ({ assert }) => {
    const value = { a: [1] }
    assert.deepEqual(toAttribute(column('content', Consignment), value), { value })
    assert.deepEqual(toAttribute(column('tags', Consignment), ['a']), { value: ['a'] })
  })
})
