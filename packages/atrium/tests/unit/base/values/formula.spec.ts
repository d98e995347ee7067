import { test } from '@japa/runner'
import fc from 'fast-check'
import { escapeFormula, unescapeFormula } from '#base/values/text'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import { runs } from '#tests/helpers/random_runs'

const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

const TEXT = fc
  .tuple(fc.stringMatching(/^['=+\-@\t\r\n＝＋－＠]{0,4}$/), fc.string({ unit: ANY_CHARACTER }))
  .map(([start, rest]) => start + rest)

test.group('Formulas', () => {
  test('[D2] no escaped text begins like a formula, and each is restored when unescaped', ({
    assert,
  }) => {
    fc.assert(
      fc.property(TEXT, (text) => {
        const escaped = escapeFormula(text)
        assert.notMatch(escaped, FORMULA)
        assert.equal(unescapeFormula(escaped), text)
      }),
      { numRuns: runs(4000) }
    )
  })

  test('[D2] {text} is escaped as {escaped}')
    .with([
      { text: '=1+1', escaped: "'=1+1" },
      { text: "'=1+1", escaped: "''=1+1" },
      { text: "'quoted'", escaped: "'quoted'" },
      { text: '＝1', escaped: "'＝1" },
      { text: '-5', escaped: "'-5" },
      { text: 'a=1', escaped: 'a=1' },
    ])
    .run(({ assert }, { text, escaped }) => {
      assert.equal(escapeFormula(text), escaped)
    })
})
