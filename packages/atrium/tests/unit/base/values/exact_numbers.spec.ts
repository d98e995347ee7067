import { test } from '@japa/runner'
import { exactDecimal, exactDigits } from '#base/values/numbers'

test.group('Exact numbers', (group) => {
  group.tap((one) => one.tags(['@dialect', '@driver']))
  test('[A20] {0} becomes a number if the number is exact, or else a text of its digits')
    .with([
      ['0', 0],
      ['-12', -12],
      ['9007199254740991', 9007199254740991],
      ['9007199254740993', '9007199254740993'],
      ['18446744073709551615', '18446744073709551615'],
    ] as const)
    .run(({ assert }, [digits, expected]) => assert.strictEqual(exactDigits(digits), expected))

  test('[A20] the decimal {0} remains exact')
    .with([
      ['0.00', 0],
      ['39.90', 39.9],
      ['-0.000123', -0.000123],
      ['123456789012.345', 123456789012.345],
      ['1234567890123.4567', '1234567890123.4567'],
      ['0.0001234567890123456789', '0.0001234567890123456789'],
      ['9.12345678901234000000', 9.12345678901234],
      ['123456789012345.1200000', '123456789012345.12'],
      ['NaN', 'NaN'],
    ] as const)
    .run(({ assert }, [text, expected]) => assert.strictEqual(exactDecimal(text), expected))
})
