import { BaseModel, column, hasMany } from '@adonisjs/lucid/orm'
import type { HasMany } from '@adonisjs/lucid/types/relations'
import { test } from '@japa/runner'
import { ModelView } from '#admin'
import { DatabaseConfig } from '#admin/config/database_config'
import { checkInlines, checkSortColumns } from '#admin/forms/inlines/inline_checks'
import type { ViewSite } from '#admin/views/model_view'
import { Camel, Caravan } from '#tests/fixtures/inlines'
import { ANOTHER } from '#tests/helpers/databases'

class Bazaar extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @hasMany(() => Camel, { foreignKey: 'caravanId', onQuery: (query) => void query.limit(1) })
  declare camels: HasMany<typeof Camel>
}

class Harbour extends BaseModel {
  static connection = ANOTHER

  @column({ isPrimary: true })
  declare id: number

  @hasMany(() => Camel, { foreignKey: 'caravanId' })
  declare camels: HasMany<typeof Camel>
}

const databaseConfig = new DatabaseConfig()
const camels = new ModelView({ model: Camel, databaseConfig })

/** Message of the error that the option causes at boot */
function messageOf(inlines: any, { model = Caravan as any, known = [camels] } = {}): string {
  try {
    const view = new ModelView({ model, databaseConfig, inlines })
    const models = new Map([...known, view].map((one) => [one.name, one]))
    checkInlines({ models } as unknown as ViewSite, view)
    return 'nothing'
  } catch (error) {
    return (error as Error).message
  }
}

const row = (options: object) => [{ relation: 'camels', ...options }]

test.group('The option inlines', () => {
  test('[R2, P9] a value of the wrong type in the option inlines is an error: {1}')
    .with([
      ['items', "Caravan: inlines is 'items', and must be a list of relations' names"],
      [[5], 'inlines is [ 5 ], and must be'],
      [[{ fields: ['name'] }], 'and must be a list of'],
      [row({ order: 'position' }), 'and must be a list of'],
      [row({ fields: 'name' }), 'and must be a list of'],
      [row({ spare: -1 }), 'and must be a list of'],
      [row({ spare: 21 }), 'and must be a list of'],
      [row({ summaries: ['weight'] }), 'and must be a list of'],
    ])
    .run(({ assert }, [inlines, message]) => {
      assert.include(messageOf(inlines), message)
    })

  test('[R2, P9] an unknown or unsuitable name is an error once all models are loaded: {1}')
    .with([
      [
        ['loads'],
        "Caravan: inlines names 'loads', which is not a relation of the model; relations are",
      ],
      [['camels', 'camels'], "inlines names 'camels' twice"],
      [
        ['guide'],
        "inlines names 'guide', whose model Guide is not on the site: give it @AdminView",
      ],
      [row({ fields: ['nme'] }), 'with the fields nme, which Camel does not have; it has'],
      [row({ fields: ['name', 'name'] }), "with the field 'name' twice"],
      [row({ fields: ['caravan_id'] }), "with the field 'caravan_id', the foreign key"],
      [row({ summaries: ['load:sum'] }), "with the summary 'load:sum', whose column Camel"],
      [row({ fields: ['id'] }), "with the field 'id', by which rows are known"],
      [row({ fields: ['position'], sort: 'position' }), "'position', which is its sort already"],
      [row({ sort: 'place' }), "with the sort 'place', which Camel does not have"],
      [row({ sort: 'id' }), "with the sort 'id', and must name a visible number column"],
    ])
    .run(({ assert }, [inlines, message]) => {
      assert.include(messageOf(inlines), message)
    })

  test("[R2, P9] a relation of a kind that can't have rows is an error", ({ assert }) => {
    const belongs = messageOf(['caravan'], { model: Camel, known: [] })
    assert.include(belongs, "names 'caravan', a belongsTo, and must name a hasMany or hasOne")
    assert.include(messageOf(['camels'], { model: Bazaar }), "whose onQuery can't be applied")
    assert.include(messageOf(['camels'], { model: Harbour }), 'is on another connection')
  })

  test('[R2, P9] a sort column that does not contain numbers, or is unique, is an error')
    .with([
      ['integer', [['caravan_id', 'name']], 'nothing'],
      ['text', [], "with the sort 'position', whose type is text, and must name a number column"],
      [
        'integer',
        [['caravan_id', 'position']],
        'the unique index over caravan_id and position keeps',
      ],
    ] as const)
    .run(({ assert }, [kind, uniqueKeys, message]) => {
      const sort = { apiName: 'position', name: 'position', kind }
      const columns = { find: (name: string) => (name === 'position' ? sort : {}) }
      const rows = { name: 'Camel', model: Camel, resource: { columns, uniqueKeys } }
      const view = new ModelView({
        model: Caravan,
        databaseConfig,
        inlines: row({ sort: 'position' }),
      })
      const models = new Map<string, unknown>([
        ['Camel', { ...rows, options: {} }],
        ['Caravan', view],
      ])
      const known = [...models.values()][0] as ModelView
      const check = () => checkSortColumns({ models } as unknown as ViewSite, known)
      if (message === 'nothing') assert.doesNotThrow(check)
      else assert.throws(check, new RegExp(message))
    })

  test('[R2] the name of a relation, and an object with all options, are accepted', ({
    assert,
  }) => {
    assert.equal(messageOf(['camels']), 'nothing')
    const options = { label: 'Beasts', fields: ['name'], sort: 'position', spare: 0 }
    assert.equal(messageOf(row(options)), 'nothing')
  })
})
