import { test } from '@japa/runner'
import fc from 'fast-check'
import { resources, ValueError } from '#crud'
import { OPERATIONS } from '#crud/operations'
import { allows, modelNames, readAbilities } from '#admin/authentication/abilities'

test.group('allows', () => {
  test('[P10] {ability} for {operation} of Product: {expected}')
    .with([
      { ability: '*', operation: 'create', expected: true },
      { ability: '*:*', operation: 'create', expected: true },
      { ability: 'Product:*', operation: 'db_delete', expected: true },
      { ability: '*:create', operation: 'create', expected: true },
      { ability: 'Product:read', operation: 'read', expected: true },
      { ability: 'Product:read', operation: 'read_multi', expected: false },
      { ability: '*:create', operation: 'update', expected: false },
      { ability: 'Film:*', operation: 'read', expected: false },
      { ability: 'Prod*:read', operation: 'read', expected: false },
      { ability: 'product:read', operation: 'read', expected: false },
      { ability: 'Product', operation: 'read', expected: false },
      { ability: '', operation: 'read', expected: false },
    ] as const)
    .run(({ assert }, { ability, operation, expected }) => {
      assert.equal(allows([ability], 'Product', operation), expected)
      assert.equal(allows(['Film:read', ability], 'Product', operation), expected)
      assert.isFalse(allows([], 'Product', operation))
    })

  test('[P10] what is for one model and one operation is for nothing else', ({ assert }) => {
    const name = fc.constantFrom('Product', 'Film', 'Pro', 'constructor')
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
  test('[P10] parted by commas, spaces or lines, each once', ({ assert }) => {
    assert.deepEqual(readAbilities(' Product:read,Film:*\n*:create, *  Film:* '), [
      'Product:read',
      'Film:*',
      '*:create',
      '*',
    ])
  })

  test('[P10] {text} is refused: {message}')
    .with([
      { text: '', message: /^A token needs an ability, as in \w+:read/ },
      { text: ' , ', message: /^A token needs an ability/ },
      { text: 'Product', message: /^"Product" is no ability: it is MODEL:OPERATION, as in/ },
      { text: 'Product:read:x', message: /is no ability/ },
      {
        text: 'Prodct:read',
        message: /names a model without endpoints; models are .*Film.* and \*$/,
      },
      { text: 'AdminUser:read', message: /names a model without endpoints/ },
      { text: '__proto__:read', message: /names a model without endpoints/ },
      { text: ':read', message: /names a model without endpoints/ },
      {
        text: 'Film:read, Film:list',
        message: /^"Film:list" names no operation; operations are create, read, .* and \*$/,
      },
      { text: 'Film:', message: /names no operation/ },
      {
        text: Array.from({ length: 101 }, (_, n) => `x${n}`).join(),
        message: /100 abilities at most/,
      },
    ])
    .run(({ assert }, { text, message }) => {
      assert.throws(() => readAbilities(text), message)
      assert.throws(() => readAbilities(text), ValueError as any)
    })

  test('[P10] tokens are for the models that have endpoints', ({ assert }) => {
    assert.sameMembers(modelNames(), [...new Set(resources.all().map(({ name }) => name))])
    assert.includeMembers(modelNames(), ['Distributor', 'Film', 'Product'])
  })
})
