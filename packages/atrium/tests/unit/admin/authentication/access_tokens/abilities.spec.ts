import { test } from '@japa/runner'
import fc from 'fast-check'
import { resources, ValueError } from '#crud'
import { OPERATIONS } from '#crud/operations/operation'
import { allows, modelNames, readAbilities } from '#admin/authentication/access_tokens/abilities'

test.group('allows', () => {
  test('[P10] {ability} for {operation} of Utensil: {expected}')
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

  test('[P10] an ability for one model and operation covers nothing else', ({ assert }) => {
    const name = fc.constantFrom('Utensil', 'Reel', 'Pro', 'constructor')
    const operation = fc.constantFrom(...OPERATIONS)
    fc.assert(
      fc.property(name, operation, name, operation, (model, done, other, asked) => {
        const expected = model === other && done === asked
        assert.equal(allows([`${model}:${done}`], other, asked), expected)
      })
    )
  })
})

test.group('readAbilities', () => {
  test('[P10] abilities may be separated by commas, spaces or lines, and duplicates are dropped', ({
    assert,
  }) => {
    assert.deepEqual(readAbilities(' Utensil:read,Reel:*\n*:create, *  Reel:* '), [
      'Utensil:read',
      'Reel:*',
      '*:create',
      '*',
    ])
  })

  test('[P10] {text} is refused: {message}')
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

  test('[P10] abilities are for models with endpoints', ({ assert }) => {
    assert.sameMembers(modelNames(), [...new Set(resources.all().map(({ name }) => name))])
    assert.includeMembers(modelNames(), ['Lender', 'Reel', 'Utensil'])
  })
})
