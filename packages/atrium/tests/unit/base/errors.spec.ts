import { test } from '@japa/runner'
import { ConfigurationError, RuntimeError, ValueError } from '#crud'
import { listed } from '#base/errors'

test.group('Error classes of the engine', () => {
  test('[P9] each error class of the engine has a code by which the start recognizes it', ({
    assert,
  }) => {
    const errors = [new ValueError('a'), new RuntimeError('b'), new ConfigurationError([])]

    assert.deepEqual(
      errors.map(({ code, status }) => [code, status]),
      [
        ['E_VALUE', 500],
        ['E_RUNTIME', 500],
        ['E_CONFIGURATION', 500],
      ]
    )
  })

  test('[P9] a ConfigurationError contains all errors and lists them', ({ assert }) => {
    const violations = [new ValueError('first'), new TypeError('second\nin two lines')]
    const { errors, message } = new ConfigurationError(violations)

    assert.deepEqual(errors, violations)
    assert.equal(
      message,
      "The models' configuration has 2 errors:\n  - first\n  - second\n    in two lines"
    )
  })

  test('a single error is counted in the singular', ({ assert }) => {
    assert.include(new ConfigurationError([new Error('alone')]).message, 'has 1 error:')
  })

  test('names are joined to a list as in a sentence')
    .with([
      { names: [], text: 'none' },
      { names: ['a'], text: 'a' },
      { names: ['a', 'b'], text: 'a and b' },
      { names: new Set(['a', 'b', 'c']), text: 'a, b and c' },
    ])
    .run(({ assert }, { names, text }) => {
      assert.equal(listed(names), text)
    })
})
