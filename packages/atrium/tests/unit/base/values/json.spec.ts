import { test } from '@japa/runner'
import fc from 'fast-check'
import { isDeeper, numberOrDigits, parseJson, withoutBigInts, writeJson } from '#base/values/json'

const keep = (integer: bigint) => integer

test.group('JSON with exact numbers', () => {
  test('[A20] integers up to 2^53 become numbers, and larger ones are passed to the callback', ({
    assert,
  }) => {
    assert.deepEqual(parseJson('{"a":[9007199254740991,9007199254740992]}', keep), {
      a: [9007199254740991, 9007199254740992n],
    })
    assert.deepEqual(parseJson('[-12345678901234567890,"12345678901234567890"]', keep), [
      -12345678901234567890n,
      '12345678901234567890',
    ])
  })

  test('[A20] fractions and numbers with exponents stay numbers, whatever their length', ({
    assert,
  }) => {
    const text = '[1234567890.12345678901, 1e300, 1.5e20, 12345678901234567890.5]'
    assert.deepEqual(parseJson(text, keep), JSON.parse(text))
  })

  test('[A20] any document without larger integers is parsed as by JSON.parse', ({ assert }) => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify([value, '1234567890123456'])
        assert.deepEqual(
          withoutBigInts(parseJson(text, keep)),
          JSON.parse(text, (_, inner) => inner)
        )
      })
    )
  })

  test('[A20] the digits of an integer become a number only if the number has the same digits', ({
    assert,
  }) => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), (integer) => {
        assert.equal(JSON.stringify(numberOrDigits(integer)).replaceAll('"', ''), String(integer))
      })
    )
    assert.strictEqual(numberOrDigits(2n ** 53n), 2 ** 53)
    assert.strictEqual(numberOrDigits(2n ** 53n + 1n), '9007199254740993')
    assert.strictEqual(numberOrDigits(10n ** 400n), `1${'0'.repeat(400)}`)
  })

  test('[A29] __proto__ inside a document is an ordinary key', ({ assert }) => {
    const text = '{"__proto__":{"n":12345678901234567890}}'
    const value = withoutBigInts(parseJson(text, keep))
    assert.equal(JSON.stringify(value), '{"__proto__":{"n":"12345678901234567890"}}')
    assert.strictEqual(Object.getPrototypeOf(value), Object.prototype)
  })

  test('[A29] brackets inside strings do not count for the depth', ({ assert }) => {
    assert.isFalse(isDeeper('[[1],[{}]]', 3))
    assert.isTrue(isDeeper('[[1],[{}]]', 2))
    assert.isFalse(isDeeper('["[[[", "\\"[["]', 1))
  })

  test('[A29] a value of any depth can be written', ({ assert }) => {
    const around = (inner: string) => `${'{"a":['.repeat(20_000)}${inner}${']}'.repeat(20_000)}`
    fc.assert(
      fc.property(fc.json(), (json) => {
        const text = JSON.stringify(JSON.parse(json))
        assert.equal(writeJson(JSON.parse(text)), text)
        /* The library's comparison would be recursive. */
        assert.isTrue(writeJson(JSON.parse(around(text))) === around(text), text)
      }),
      { numRuns: 20 }
    )
  })
})
