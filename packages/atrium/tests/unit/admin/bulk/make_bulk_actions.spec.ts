import { test } from '@japa/runner'
import { BulkAction, ModelView } from '#admin'
import { DatabaseConfig } from '#admin/config/database_config'
import { ValueError } from '#crud'
import { Country } from '#tests/fixtures/keys'

class Publish extends BulkAction {
  name = 'publish'
  label = 'Publish'
  async run() {
    return ''
  }
}

class Hide extends Publish {
  name = 'hide-2_B'
}

function make(...bulkActions: unknown[]) {
  const databaseConfig = new DatabaseConfig()
  return new ModelView({ model: Country, databaseConfig, bulkActions: bulkActions as any })
}

test.group('Bulk actions of a view', () => {
  test('[S17] each action of a view is created once, in order, and requires confirmation by default', ({
    assert,
  }) => {
    const { bulkActions } = make(Publish, Hide)
    assert.deepEqual(
      bulkActions.map(({ name, needs, confirms }) => ({ name, needs, confirms })),
      [
        { name: 'publish', needs: 'update', confirms: true },
        { name: 'hide-2_B', needs: 'update', confirms: true },
      ]
    )
    assert.deepEqual(make().bulkActions, [])
  })

  test('[S19, P9] a name that is not valid in a URL is refused: {0}')
    .with([['a b'], ['a/b'], [''], ['ä'], ['a%20'], ['a?'], ['..'], [undefined], [5]])
    .run(({ assert }, [name]) => {
      class Wrong extends Publish {
        name = name as any
      }
      assert.throws(() => make(Wrong), ValueError as any)
      assert.throws(
        () => make(Wrong),
        `Country: the bulk action Wrong is named '${name}', which is not valid in a URL; use letters, digits, - and _`
      )
    })

  test('[S19, P9] two actions with the same name are refused and named', ({ assert }) => {
    class Again extends Publish {}
    assert.throws(() => make(Publish, Again), ValueError as any)
    assert.throws(
      () => make(Publish, Again),
      "Country: the bulk action Again and Publish are both named 'publish'; give one of them another name"
    )
  })

  test('[S19, P9] a class that is not a bulk action, has no label or needs an unknown action is refused', ({
    assert,
  }) => {
    class Silent extends Publish {
      label = ' '
    }
    class Needy extends Publish {
      needs = 'fly' as any
    }
    for (const [one, message] of [
      [
        class Other {},
        'Country: bulkActions contains something that is not a subclass of BulkAction: Other',
      ],
      [
        'publish',
        'Country: bulkActions contains something that is not a subclass of BulkAction: ' +
          "'publish'",
      ],
      [null, 'Country: bulkActions contains something that is not a subclass of BulkAction: null'],
      [
        Silent,
        'Country: the bulk action Silent has the label ' +
          "' ', and must have a text for its button",
      ],
      [
        Needy,
        "Country: the bulk action Needy needs 'fly', which is not an action; actions are view, create, update and delete",
      ],
    ] as const) {
      assert.throws(() => make(one), ValueError as any)
      assert.throws(() => make(one), message)
    }
  })
})
