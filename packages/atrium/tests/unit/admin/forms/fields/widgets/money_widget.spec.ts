import { test } from '@japa/runner'
import {
  currencySign,
  decimalsOf,
  formattedMoney,
  moneyText,
  readMoney,
  MoneyWidget,
} from '#admin/forms/fields/widgets/money_widget'
import { isCurrency } from '#admin/views/widget_checks'

const EUR = { currency: 'EUR', decimals: 2, minorUnits: false }
const YEN = { currency: 'JPY', decimals: 0, minorUnits: false }
const CENTS = { ...EUR, minorUnits: true }

test.group('Admin | amounts of money', () => {
  test('[R13] the currency determines the number of decimals and the position of its symbol', ({
    assert,
  }) => {
    assert.deepEqual(['JPY', 'EUR', 'KWD'].map(decimalsOf), [0, 2, 3])
    assert.deepEqual(currencySign('USD'), { prefix: '$' })
    assert.isTrue(isCurrency('CHF'))
    for (const wrong of ['EURO', 'eur', '', undefined]) assert.isFalse(isCurrency(wrong))
  })

  test('[R13] an amount is shown exactly, with at least the decimals of its currency')
    .with([
      [39.9, EUR, '39.90'],
      [39, EUR, '39.00'],
      ['-0.5', EUR, '-0.50'],
      ['12345678901234567890.1', EUR, '12345678901234567890.10'],
      [1.239, EUR, '1.239'],
      [1e-7, EUR, '0.0000001'],
      [1200, YEN, '1200'],
      [5, CENTS, '0.05'],
      ['-1234', CENTS, '-12.34'],
      [1.5, CENTS, null],
      ['12 EUR', EUR, null],
    ] as const)
    .run(({ assert }, [value, money, text]) => {
      assert.equal(moneyText(value, money), text)
    })

  test('[R13, R12] a typed amount is stored as a plain numeral')
    .with([
      ['39.9', EUR, '39.9'],
      ['39.90', EUR, '39.9'],
      ['39.00', EUR, '39'],
      ['1,234,567.5', EUR, '1234567.5'],
      ["1'234'567.5", EUR, '1234567.5'],
      ['1 234 567', CENTS, '123456700'],
      ['.5', EUR, '0.5'],
      ['007.', EUR, '7'],
      ['+3', EUR, '3'],
      ['-0.00', EUR, '0'],
      ['-3.10', EUR, '-3.1'],
      ['12345678901234567890.12', EUR, '12345678901234567890.12'],
      ['0.05', CENTS, '5'],
      ['12', CENTS, '1200'],
      ['12.3', CENTS, '1230'],
      ['1200', YEN, '1200'],
    ] as const)
    .run(({ assert }, [typed, money, numeral]) => {
      assert.equal(readMoney(typed, money), numeral)
    })

  test('[R13] an invalid amount is refused, and the message contains the expected format')
    .with([
      ['1.234', EUR, 'must have at most 2 decimals (EUR)'],
      ['1.500', EUR, 'must have at most 2 decimals (EUR)'],
      ['1.5', YEN, 'must have no decimals (JPY)'],
      ['1,5', EUR, 'must be an amount such as 1234.50'],
      ['1e3', EUR, 'must be an amount such as 1234.50'],
      ['.', EUR, 'must be an amount such as 1234.50'],
      ['ten', YEN, 'must be an amount such as 1234'],
      ['0x10', CENTS, 'must be an amount such as 1234.50'],
    ] as const)
    .run(({ assert }, [typed, money, message]) => {
      assert.throws(() => readMoney(typed, money), message)
    })

  test('[R13] an amount is formatted without loss of digits', ({ assert }) => {
    assert.equal(formattedMoney('12345678901234567.89', EUR), '€12,345,678,901,234,567.89')
    assert.equal(formattedMoney('-1200', YEN), '-¥1,200')
  })
})

const options = { currency: 'EUR', minorUnits: false, isInteger: false, strict: false }

test.group('Admin | the widget for money', () => {
  test('[R13] a schema that accepts only numbers gets a number, unless it would lose digits', ({
    assert,
  }) => {
    const strict = new MoneyWidget({ ...options, strict: true })
    assert.strictEqual(strict.read(['1,234.5']), 1234.5)
    assert.strictEqual(new MoneyWidget(options).read(['1,234.5']), '1234.5')
  })

  test('[R13] integer columns of money accept no decimals, unless they store the smallest unit', ({
    assert,
  }) => {
    const whole = new MoneyWidget({ ...options, isInteger: true })
    assert.deepEqual(whole.show(1200), ['1200'])
    assert.equal(whole.cell(1200)!.text, '€1,200')
    assert.throws(() => whole.read(['1.5']), 'must have no decimals (EUR)')
    const cents = new MoneyWidget({ ...options, isInteger: true, minorUnits: true })
    assert.deepEqual(cents.show(1250), ['12.50'])
    assert.equal(cents.words(1250), '€12.50')
  })

  test('[R13] decimals beyond those of the currency are rounded in the cell, and shown in its tooltip', ({
    assert,
  }) => {
    const { text, title } = new MoneyWidget(options).cell(1.239)!
    assert.deepEqual([text, title], ['€1.24', '1.239 EUR'])
    assert.isNull(new MoneyWidget(options).cell('ten'))
  })
})
