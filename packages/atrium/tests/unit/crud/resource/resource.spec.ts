import db from '@adonisjs/lucid/services/db'
import { BaseModel, column, computed } from '@adonisjs/lucid/orm'
import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { RuntimeError, ValueError, type CrudRouterOptions } from '#crud'
import { Resource } from '#crud/resource/resource'
import { RouteItem } from '#tests/fixtures/routes'
import { MAIN } from '#tests/helpers/databases'

/** A model with a key, a hidden column, a renamed one and a computed property. */
class Person extends BaseModel {
  static table = 'route_persons'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare fullName: string

  @column({ serializeAs: 'mail' })
  declare emailAddress: string

  @column({ serializeAs: null })
  declare secret: string

  @column()
  declare data: unknown

  @computed()
  get initial() {
    return this.fullName[0]
  }

  @computed({ serializeAs: null })
  get unseen() {
    return 1
  }
}

function named(name: string, extra: object) {
  class Model extends BaseModel {
    @column({ isPrimary: true })
    declare id: number
  }
  Object.defineProperty(Model, 'name', { value: name })
  Object.assign(Model, extra)
  return Model
}

test.group('Resource', (group) => {
  group.setup(async () => {
    await db.connection().schema.createTable('route_persons', (table) => {
      table.increments('id')
      table.string('full_name', 40).notNullable()
      table.string('email_address', 40)
      table.string('secret', 40)
      table.json('data')
    })
    return async () => {
      await db.connection().schema.dropTable('route_persons')
    }
  })

  test('[P4] tags are given as an array or a Set, and are by default the model’s name', ({
    assert,
  }) => {
    assert.deepEqual(new Resource({ model: Person, tags: ['People', 'Staff'] }).tags, [
      'People',
      'Staff',
    ])
    assert.deepEqual(new Resource({ model: Person, tags: new Set(['People']) }).tags, ['People'])
    assert.deepEqual(new Resource({ model: Person }).tags, ['Person'])
  })

  test('[A2] the fields of an item are all visible columns and computed properties', ({
    assert,
  }) => {
    const { fields, computed: properties } = new Resource({ model: Person })

    assert.deepEqual(
      fields.map(({ apiName }) => apiName),
      ['id', 'full_name', 'mail', 'data']
    )
    assert.deepEqual([...properties], [['initial', 'initial']])
  })

  test('[P4] selectSchema restricts the fields, by any of their names', ({ assert }) => {
    const selectSchema = vine.object({
      mail: vine.string(),
      fullName: vine.string(),
      initial: vine.string(),
    })
    const resource = new Resource({ model: Person, selectSchema })

    assert.deepEqual(
      resource.fields.map(({ apiName }) => apiName),
      ['full_name', 'mail']
    )
    assert.deepEqual([...resource.computed.keys()], ['initial'])
    const without = new Resource({
      model: Person,
      selectSchema: vine.object({ id: vine.number() }),
    })
    assert.equal(without.computed.size, 0)
  })

  test('[P9] selectSchema can’t name hidden or unknown columns')
    .with([
      ['secret', 'a hidden column'],
      ['nothing', 'no column'],
    ])
    .run(({ assert }, [name, reason]) => {
      const selectSchema = vine.object({ [name]: vine.string() })
      assert.throws(
        () => new Resource({ model: Person, selectSchema }),
        ValueError as any,
        `Person: selectSchema names '${name}', which is ${reason}; what can be shown is id, full_name, mail, data`
      )
    })

  test('[P6, P9] a field of a schema that is not a column or virtual field is an error', ({
    assert,
  }) => {
    const createSchema = vine.object({ full_name: vine.string(), password: vine.string() })

    assert.throws(
      () => new Resource({ model: Person, createSchema }),
      ValueError as any,
      'Person: createSchema does not match the model: password is not a column; columns are id, full_name, mail, secret and data'
    )
    const updateSchema = createSchema
    assert.throws(() => new Resource({ model: Person, updateSchema }), 'Person: updateSchema does')
    const virtualFields = new Set(['password'])
    assert.doesNotThrow(() => new Resource({ model: Person, createSchema, virtualFields }))
  })

  test('[P9] an option of soft deletion or update time that names an unknown column is an error')
    .with(['isDeletedColumn', 'deletedAtColumn', 'updatedAtColumn'])
    .run(({ assert }, option) => {
      assert.throws(
        () => new Resource({ model: Person, [option]: 'gone' }),
        ValueError as any,
        `Person: ${option} names 'gone', which is not a column of the model; its columns are id, full_name`
      )
    })

  test('[P9] a model without a primary key is an error', ({ assert }) => {
    class Keyless extends BaseModel {
      @column()
      declare name: string
    }
    assert.throws(
      () => new Resource({ model: Keyless }),
      ValueError as any,
      'Keyless: the model has no primary key'
    )
  })

  test('[P9] an unknown connection is a RuntimeError, even if the caller passes a client', ({
    assert,
  }) => {
    const model = named('Moon', { connection: 'moon' })
    for (const session of [undefined, () => db.connection()]) {
      const options: CrudRouterOptions = { model, session }
      assert.throws(
        () => new Resource(options),
        RuntimeError as any,
        'Moon: there is no database connection "moon"; config/database.ts has sqlite'
      )
    }
  })

  test('[P9, P15] the error of a missing table contains the command that creates tables', async ({
    assert,
  }) => {
    const resource = new Resource({ model: named('Ghost', { table: 'ghosts' }) })

    await assert.rejects(
      () => resource.load(),
      `Ghost: the table ghosts does not exist on the connection "${MAIN}". Create it with: node ace migrate`
    )
    assert.isFalse(resource.isLoaded)
  })

  test('[P15] the error of a missing column lists the existing columns', async ({ assert }) => {
    class Newer extends RouteItem {
      static table = RouteItem.table

      @column()
      declare price: number
    }
    await assert.rejects(
      () => new Resource({ model: Newer }).load(),
      /^Newer: the table route_items has no column price; it has id, name and note\. .*node ace migrate$/
    )
  })

  test('[P15] reading the table is repeated after a failure, and not after a success', async ({
    assert,
  }) => {
    const table = 'route_late'
    const resource = new Resource({ model: named('Late', { table }) })
    await assert.rejects(() => resource.load())

    await db.connection().schema.createTable(table, (columns) => void columns.increments('id'))
    await Promise.all([resource.load(), resource.load()])
    await db.connection().schema.dropTable(table)

    await resource.load()
    assert.isTrue(resource.isLoaded)
  })

  test('[P15] reading properties from the database before the load is an error', ({ assert }) => {
    const resource = new Resource({ model: Person })
    const message = 'await resources.load() first'

    assert.throws(() => resource.createBody, RuntimeError as any, message)
    assert.throws(() => resource.updateBody, RuntimeError as any, message)
    assert.throws(() => resource.columns.all[0].kind, RuntimeError as any, message)
    assert.equal(resource.sortable.size, 0)
  })

  test('[A15] after the load, all visible columns except JSON are sortable', async ({ assert }) => {
    const resource = new Resource({ model: Person })
    await resource.load()
    assert.deepEqual([...resource.sortable.keys()], ['id', 'full_name', 'mail'])
  })
})
