import { test } from '@japa/runner'
import fc from 'fast-check'
import { grouped, isMisgrouped, ungrouped } from '#base/values/numbers'
import { runs } from '#tests/helpers/random_runs'

test.group('Admin | numbers with thousands separators', () => {
  test('[B17] a number of 10,000 or more is written with thousands separators: {numeral}')
    .with([
      { numeral: '9999', text: '9999' },
      { numeral: '-9999.12345', text: '-9999.12345' },
      { numeral: '10000', text: '10,000' },
      { numeral: '15285588.50', text: '15,285,588.50' },
      { numeral: '-9007199254740993', text: '-9,007,199,254,740,993' },
      { numeral: '12345.123456789', text: '12,345.123456789' },
      { numeral: '1e21', text: '1e21' },
      { numeral: 'twelve', text: 'twelve' },
      { numeral: '', text: '' },
    ])
    .run(({ assert }, { numeral, text }) => {
      assert.equal(grouped(numeral), text)
      assert.equal(ungrouped(text), numeral)
    })

  test('[B17] a number with consistent thousands separators is parsed: {text}')
    .with([
      { text: "1'234'567", read: '1234567' },
      { text: '1 234 567.5', read: '1234567.5' },
      { text: '1\u202f234', read: '1234' },
      { text: '1_000', read: '1000' },
      { text: '1,5' },
      { text: '12,34,567' },
      { text: '1,234 567' },
      { text: '1.234.567' },
      { text: '1.234,5' },
      { text: '1 5' },
    ])
    .run(({ assert }, { text, read }) => {
      assert.equal(ungrouped(text), read ?? text)
      assert.equal(isMisgrouped(text), read === undefined)
    })

  test('[B17] texts that are not numbers are not reported as having misplaced separators', ({
    assert,
  }) => {
    for (const text of ['15', '-1.5', '.5', '1e3', '', 'a, b', 'twelve', '1.']) {
      assert.isFalse(isMisgrouped(text), text)
    }
  })

  test('[B17] parsing a number with thousands separators returns its original digits', () => {
    const digits = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
    const decimals = fc.option(fc.stringMatching(/^\d{1,20}$/), { nil: undefined })
    fc.assert(
      fc.property(digits, decimals, (whole, part) => {
        const numeral = part === undefined ? String(whole) : `${whole}.${part}`
        return ungrouped(grouped(numeral)) === numeral && !isMisgrouped(grouped(numeral))
      }),
      { numRuns: runs(1000) }
    )
  })
})
