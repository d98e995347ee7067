import { test } from '@japa/runner'
import fc from 'fast-check'
import {
  decimalPlaces,
  exactInteger,
  isBeyondDecimal,
  readInteger,
  readNumber,
} from '#base/values/numbers'

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

test.group('Integers', () => {
  test('[A20] all digits of a 64-bit integer are preserved', ({ assert }) => {
    fc.assert(
      fc.property(int64, (integer) => {
        const read = readInteger(String(integer))
        assert.equal(String(read), String(integer))
        assert.strictEqual(read, exactInteger(integer))
        assert.equal(typeof read, Number.isSafeInteger(Number(integer)) ? 'number' : 'string')
      })
    )
  })

  test('[A20] integers of more than 64 bits are refused', ({ assert }) => {
    const beyond = fc.oneof(fc.bigInt({ min: 2n ** 63n }), fc.bigInt({ max: -(2n ** 63n) - 1n }))
    fc.assert(
      fc.property(beyond, (integer) => {
        assert.isNull(readInteger(String(integer)))
        assert.isNull(exactInteger(integer))
      })
    )
  })

  test('an unsigned integer has up to 64 bits and no sign', ({ assert }) => {
    assert.equal(readInteger('18446744073709551615', true), '18446744073709551615')
    assert.isNull(readInteger('18446744073709551616', true))
    assert.isNull(readInteger('-1', true))
  })

  test('[A28] "{text}" is not a plain integer')
    .with(
      ['', ' ', '1.0', '1e3', '0x10', '+1', '01', '-0', '--1', ' 1', '1 ', '٣', '1_0'].map(
        (text) => ({ text })
      )
    )
    .run(({ assert }, { text }) => {
      assert.isNull(readInteger(text))
      assert.isNull(readInteger(`${text}\n`))
    })
})

test.group('Decimals', () => {
  test('[A28] plain numerals are accepted as decimals', ({ assert }) => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(), (whole, fraction) => {
        assert.strictEqual(readNumber(`${whole}.${fraction}`), Number(`${whole}.${fraction}`))
        assert.strictEqual(readNumber(String(whole)), whole)
      })
    )
  })

  test('[A28] "{text}" is not a plain numeral')
    .with(
      ['', '.', '.5', '5.', '1,5', '1e3', '0x10', '+1', ' 1', 'NaN', '-', '9'.repeat(400)].map(
        (text) => ({ text })
      )
    )
    .run(({ assert }, { text }) => {
      assert.isNull(readNumber(text))
    })
})

test.group('The range of decimals', () => {
  test('[A8] {value} is in the range of its decimal column')
    .with(['0', '999.99', '-999.99', '999.990', 999.99, -999.99, '000999.99'])
    .run(({ assert }, value) => {
      assert.isFalse(isBeyondDecimal(value, '999.99'))
    })

  test('[A8] {value} is out of the range of its decimal column')
    .with(['999.991', '-999.995', '1000', '1000.00', 1000, -999.996])
    .run(({ assert }, value) => {
      assert.isTrue(isBeyondDecimal(value, '999.99'))
    })

  test('[A8] decimals with more digits than a JavaScript number can hold are compared exactly', ({
    assert,
  }) => {
    assert.isFalse(isBeyondDecimal('999999999999999999.99', '999999999999999999.99'))
    assert.isTrue(isBeyondDecimal('1000000000000000000', '999999999999999999.99'))
    assert.isFalse(isBeyondDecimal('12', '99'))
  })

  test('the number of decimal places of {0} is counted')
    .with([
      ['10.999', 3],
      ['10.9900', 2],
      ['-5', 0],
      [10.5, 1],
      [1e-7, 7],
      [1e21, 0],
      ['123456789012345.12345', 5],
    ] as const)
    .run(({ assert }, [value, places]) => assert.equal(decimalPlaces(value), places))
})
