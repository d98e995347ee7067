import { test } from '@japa/runner'
import {
  areSamePermissions,
  entryOf,
  InvalidPermissions,
  readPermissions,
  permissionsInWords,
} from '#admin/models/permissions_document'

function errorsOf(value: unknown): readonly string[] {
  try {
    readPermissions(value)
    return []
  } catch (error) {
    if (error instanceof InvalidPermissions) return error.errors
    throw error
  }
}

test.group('Admin | permissions documents', () => {
  test('[U6] equal permissions have the same normalized form', ({ assert }) => {
    const one = readPermissions({
      '*': { actions: ['view'], scopes: [] },
      'Film': { actions: ['update', 'approve', 'view', 'view'], readonly: ['b', 'a'], hidden: [] },
      'Actor': { actions: ['view', '*'] },
    })
    assert.equal(
      JSON.stringify(one),
      JSON.stringify({
        'Actor': { actions: ['*'] },
        'Film': { actions: ['view', 'update', 'approve'], readonly: ['a', 'b'] },
        '*': { actions: ['view'], scopes: [] },
      })
    )
    assert.isTrue(
      areSamePermissions(
        { Film: { actions: ['view', 'update'] } },
        { Film: { actions: ['update', 'view'], hidden: [] } }
      )
    )
    assert.isFalse(
      areSamePermissions(
        { Film: { actions: ['view'] } },
        { Film: { actions: ['view'], scopes: [] } }
      )
    )
  })

  test('[U6] all errors of a document are reported together, with model and key', ({ assert }) => {
    const errors = errorsOf({
      Film: { actions: 'view', hiden: ['us_gross'] },
      Actor: { hidden: [1, ''] },
      Cinema: null,
    })
    const told = errors.join('\n')
    assert.match(told, /Film\.actions is 'view', and must be a list of names/)
    assert.match(told, /Film has the key 'hiden', which is none; did you mean 'hidden'\?/)
    assert.match(told, /Actor has no actions/)
    assert.match(told, /Actor\.hidden has 1, which can't be a name/)
    assert.match(told, /Cinema is null, and must be an object/)
  })

  test('[U6] a value that is not an object of models is refused', ({ assert }) => {
    for (const value of [undefined, null, [], 'view', 4, [{ actions: [] }]]) {
      assert.lengthOf(errorsOf(value), 1, JSON.stringify(value))
    }
    const many = Object.fromEntries(
      Array.from({ length: 1001 }, (_, index) => [`M${index}`, { actions: [] }])
    )
    assert.match(errorsOf(many)[0], /more than 1000 models/)
    assert.match(errorsOf({ ['x'.repeat(101)]: { actions: [] } })[0], /more than 100 characters/)
    assert.match(errorsOf({ 'Fi\nlm': { actions: [] } })[0], /can't be a name/)
  })

  test("[U6] a model's own entry replaces *, whatever the name of the model", ({ assert }) => {
    const document = readPermissions(
      JSON.parse('{"*": {"actions": ["view"]}, "__proto__": {"actions": []}}')
    )
    assert.deepEqual(entryOf(document, '__proto__'), { actions: [] })
    assert.deepEqual(entryOf(document, 'constructor'), { actions: ['view'] })
    assert.isUndefined(entryOf({}, 'constructor'))
  })

  test('[U6] permissions are described in words', ({ assert }) => {
    assert.deepEqual(
      permissionsInWords({
        'Film': {
          actions: ['view', 'update'],
          hidden: ['us_gross'],
          readonly: ['title'],
          scopes: ['ownBranch', 'shared'],
        },
        'Note': { actions: ['*'], scopes: [] },
        'Salary': { actions: [] },
        '*': { actions: ['view'] },
      }),
      [
        "Film: view, update; without us_gross; title can't be changed; only ownBranch or shared",
        'Note: everything; no records',
        'Salary: nothing',
        'All other models: view',
      ]
    )
    assert.deepEqual(permissionsInWords({ '*': { actions: ['*'] } }), ['All models: everything'])
    assert.deepEqual(permissionsInWords({}), ['nothing'])
  })
})
