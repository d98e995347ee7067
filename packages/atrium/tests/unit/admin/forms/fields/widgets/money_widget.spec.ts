import { test } from '@japa/runner'
import { MoneyWidget } from '#admin/forms/fields/widgets/money_widget'

const options = { currency: 'EUR', minorUnits: false, isInteger: false, strict: false }

test.group('Admin | the widget for money', () => {
  test('[R13] a schema that takes numbers only gets one, unless it would lose digits', ({
    assert,
  }) => {
    const strict = new MoneyWidget({ ...options, strict: true })
    assert.strictEqual(strict.read(['1,234.5']), 1234.5)
    assert.strictEqual(new MoneyWidget(options).read(['1,234.5']), '1234.5')
  })

  test('[R13] integers have no decimals, unless they are of the smallest unit', ({ assert }) => {
    const whole = new MoneyWidget({ ...options, isInteger: true })
    assert.deepEqual(whole.show(1200), ['1200'])
    assert.equal(whole.cell(1200)!.text, '€1,200')
    assert.throws(() => whole.read(['1.5']), 'must have no decimals (EUR)')
    const cents = new MoneyWidget({ ...options, isInteger: true, minorUnits: true })
    assert.deepEqual(cents.show(1250), ['12.50'])
    assert.equal(cents.words(1250), '€12.50')
  })

  test('[R13] rounds further decimals, and shows them in the tooltip', ({ assert }) => {
    const { text, title } = new MoneyWidget(options).cell(1.239)!
    assert.deepEqual([text, title], ['€1.24', '1.239 EUR'])
    assert.isNull(new MoneyWidget(options).cell('ten'))
  })
})
