import { test } from '@japa/runner'
import fc from 'fast-check'
import { exactInteger, isBeyondDecimal, readInteger, readNumber } from '#crud/values/numbers'

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

test.group('Integers', () => {
  test('[A20] every 64-bit integer keeps its digits', ({ assert }) => {
    fc.assert(
      fc.property(int64, (integer) => {
        const read = readInteger(String(integer))
        assert.equal(String(read), String(integer))
        assert.strictEqual(read, exactInteger(integer))
        assert.equal(typeof read, Number.isSafeInteger(Number(integer)) ? 'number' : 'string')
      })
    )
  })

  test('[A20] integers of more bits are refused', ({ assert }) => {
    const beyond = fc.oneof(fc.bigInt({ min: 2n ** 63n }), fc.bigInt({ max: -(2n ** 63n) - 1n }))
    fc.assert(
      fc.property(beyond, (integer) => {
        assert.isNull(readInteger(String(integer)))
        assert.isNull(exactInteger(integer))
      })
    )
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
  test('[A28] plain numerals are accepted', ({ assert }) => {
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
  const range = { most: '999.99', scale: 2 }

  test("[A8] {value} is in the range after the database's rounding")
    .with(['0', '999.99', '-999.99', '999.994', '999.9949999', 999.99, -999.994, '000999.99'])
    .run(({ assert }, value) => {
      assert.isFalse(isBeyondDecimal(value, range))
    })

  test('[A8] {value} is out of the range')
    .with(['999.995', '-999.995', '1000', '1000.00', 1000, -999.996])
    .run(({ assert }, value) => {
      assert.isTrue(isBeyondDecimal(value, range))
    })

  test('[A8] digits beyond the precision of a number count', ({ assert }) => {
    const wide = { most: '999999999999999999.99', scale: 2 }
    assert.isFalse(isBeyondDecimal('999999999999999999.99', wide))
    assert.isTrue(isBeyondDecimal('1000000000000000000', wide))
    assert.isFalse(isBeyondDecimal('12', { most: '99', scale: 0 }))
  })
})
