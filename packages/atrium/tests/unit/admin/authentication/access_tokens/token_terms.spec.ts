import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import fc from 'fast-check'
import {
  readExpiry,
  readLifetime,
  readTokenName,
  allows,
  modelNames,
  readAbilities,
} from '#admin/authentication/access_tokens/token_terms'
import { resources, ValueError } from '#crud'
import { OPERATIONS } from '#crud/operations/operation'

test.group('Token input', () => {
  test('[P10] a name is reduced to one visible line of at most 64 characters: {text}')
    .with([
      { text: ' ci ', expected: 'ci' },
      { text: 'Ärger & co. 🚀', expected: 'Ärger & co. 🚀' },
      { text: '🚀'.repeat(64), expected: '🚀'.repeat(64) },
      { text: 'x'.repeat(65), expected: undefined },
      { text: '  ', expected: undefined },
      { text: 'a\nb', expected: undefined },
      { text: 'a\u202eb', expected: undefined },
      { text: 'a\0', expected: undefined },
      { text: 'a\ud800', expected: undefined },
    ])
    .run(({ assert }, { text, expected }) => {
      if (expected === undefined) assert.throws(() => readTokenName(text), /name/)
      else assert.equal(readTokenName(text), expected)
    })

  test('[P12] the lifetime {text} is converted to seconds: {seconds}')
    .with([
      { text: '30 days', seconds: 30 * 86_400 },
      { text: ' 12h ', seconds: 12 * 3600 },
      { text: '1 second', seconds: 1 },
      { text: '1 year', seconds: 31_557_600 },
    ])
    .run(({ assert }, { text, seconds }) => {
      const expected = DateTime.utc().plus({ seconds }).toSeconds()
      assert.closeTo(readExpiry(text).toSeconds(), expected, 60)
    })

  test('[P10] a token expires in 90 days by default, and never only if the lifetime is “never”', ({
    assert,
  }) => {
    for (const text of [undefined, '', ' ']) {
      assert.closeTo(readLifetime(text)!.diffNow('days').days, 90, 0.01)
    }
    assert.closeTo(readLifetime('30 days')!.diffNow('days').days, 30, 0.01)
    assert.isNull(readLifetime('never'))
    assert.isNull(readLifetime(' Never '))
    assert.throws(() => readLifetime('nevermore'), /say 30 days, 12 hours, 1 year or never/)
  })

  test('[P12] the lifetime {$self} is refused')
    .with(['', '30', '0', '0 days', '-1 day', 'soon', '1 fortnight', '11 years', '1e99 years'])
    .run(({ assert }, text) => {
      assert.throws(() => readExpiry(text), /can be valid; say 30 days|is too long/)
    })
})

test.group('allows()', () => {
  test('[P10] the ability {ability} is checked for {operation} of Utensil: {expected}')
    .with([
      { ability: '*', operation: 'create', expected: true },
      { ability: '*:*', operation: 'create', expected: true },
      { ability: 'Utensil:*', operation: 'db_delete', expected: true },
      { ability: '*:create', operation: 'create', expected: true },
      { ability: 'Utensil:read', operation: 'read', expected: true },
      { ability: 'Utensil:read', operation: 'read_multi', expected: false },
      { ability: '*:create', operation: 'update', expected: false },
      { ability: 'Reel:*', operation: 'read', expected: false },
      { ability: 'Prod*:read', operation: 'read', expected: false },
      { ability: 'utensil:read', operation: 'read', expected: false },
      { ability: 'Utensil', operation: 'read', expected: false },
      { ability: '', operation: 'read', expected: false },
    ] as const)
    .run(({ assert }, { ability, operation, expected }) => {
      assert.equal(allows([ability], 'Utensil', operation), expected)
      assert.equal(allows(['Reel:read', ability], 'Utensil', operation), expected)
      assert.isFalse(allows([], 'Utensil', operation))
    })

  test('[P10] an ability for one operation of one model allows nothing else', ({ assert }) => {
    const name = fc.constantFrom('Utensil', 'Reel', 'Pro', 'constructor')
    const operation = fc.constantFrom(...OPERATIONS)
    fc.assert(
      fc.property(name, operation, name, operation, (model, done, other, requested) => {
        const expected = model === other && done === requested
        assert.equal(allows([`${model}:${done}`], other, requested), expected)
      })
    )
  })
})

test.group('readAbilities()', () => {
  test('[P10] abilities can be separated by commas, spaces or lines, and duplicates are removed', ({
    assert,
  }) => {
    assert.deepEqual(readAbilities(' Utensil:read,Reel:*\n*:create, *  Reel:* '), [
      'Utensil:read',
      'Reel:*',
      '*:create',
      '*',
    ])
  })

  test('[P10] the abilities {text} are refused: {message}')
    .with([
      { text: '', message: /^A token needs an ability, as in \w+:read/ },
      { text: ' , ', message: /^A token needs an ability/ },
      {
        text: 'Utensil',
        message: /^Unknown ability "Utensil": an ability is MODEL:OPERATION, as in/,
      },
      { text: 'Utensil:read:x', message: /^Unknown ability/ },
      {
        text: 'Prodct:read',
        message: /names a model without endpoints; models are .*Reel.* and \*$/,
      },
      { text: 'AdminUser:read', message: /names a model without endpoints/ },
      { text: '__proto__:read', message: /names a model without endpoints/ },
      { text: ':read', message: /names a model without endpoints/ },
      {
        text: 'Reel:read, Reel:list',
        message: /^"Reel:list" names no operation; operations are create, read, .* and \*$/,
      },
      { text: 'Reel:', message: /names no operation/ },
      {
        text: Array.from({ length: 101 }, (_, n) => `x${n}`).join(),
        message: /100 abilities at most/,
      },
    ])
    .run(({ assert }, { text, message }) => {
      assert.throws(() => readAbilities(text), message)
      assert.throws(() => readAbilities(text), ValueError as any)
    })

  test('[W5.2] the ability mcp allows no operation of a model', ({ assert }) => {
    assert.deepEqual(readAbilities('mcp, Reel:read'), ['mcp', 'Reel:read'])
    assert.isFalse(allows(['mcp'], 'Reel', 'read'))
  })

  test('[P10] abilities can name exactly the models that have endpoints', ({ assert }) => {
    assert.sameMembers(modelNames(), [...new Set(resources.all().map(({ name }) => name))])
    assert.includeMembers(modelNames(), ['Lender', 'Reel', 'Utensil'])
  })
})
