import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import vine from '@vinejs/vine'
import { AdminUser, ModelView, type AdminViewOptions } from '#admin'
import { DatabaseConfig } from '#admin/database_config'
import { Crud, RuntimeError, ValueError } from '#crud'
import { Country } from '#tests/fixtures/keys'

const databaseConfig = new DatabaseConfig()

class Thing extends BaseModel {
  static table = 'door_things'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string
}

const nameSchema = vine.object({ name: vine.string() })

test.group('ModelView', () => {
  test('[S17] its key is the class name, and what is not given is the default', ({ assert }) => {
    const view = new ModelView({ model: Thing, databaseConfig })
    assert.equal(view.name, 'Thing')
    assert.equal(view.label, 'Things')
      assert.equal(view.singular, 'Thing')
    assert.strictEqual(view.model, Thing)
    assert.isFalse(view.adminModel)
    assert.isUndefined(view.adminSite)
    assert.isUndefined(view.eventIntegration)
    assert.strictEqual(view.databaseConfig, databaseConfig)
  })

  test('[P13] everything may be done unless it is said what', ({ assert }) => {
    const all = new ModelView({ model: Thing, databaseConfig })
    for (const action of ['view', 'create', 'update', 'delete'] as const) {
      assert.isTrue(all.may(action), action)
    }
    const some = new ModelView({ model: Thing, databaseConfig, allowedActions: ['view'] })
    assert.deepEqual([...some.allowedActions], ['view'])
    assert.isFalse(some.may('delete'))
  })

  test('[S17] actions may be a set, an empty one too', ({ assert }) => {
    const allowedActions = new Set(['create', 'view'] as const)
    const view = new ModelView({ model: Thing, databaseConfig, allowedActions })
    assert.isTrue(view.may('create'))
    assert.isFalse(view.may('update'))
    const none = new ModelView({ model: Thing, databaseConfig, allowedActions: new Set() })
    assert.isFalse(none.may('view'))
  })

  test('[S19] an action that does not exist is refused, and the others named', ({ assert }) => {
    const make = () =>
      new ModelView({ model: Thing, databaseConfig, allowedActions: ['fly' as any] })
    assert.throws(make, ValueError as any)
    assert.throws(
      make,
      "Thing: allowedActions names 'fly', which is no action; actions are view, create, update, delete"
    )
  })

  test('[S19] schemas that do not match the model are a ValueError', ({ assert }) => {
    const wrong = vine.object({ colour: vine.string() })
    for (const option of ['createSchema', 'updateSchema', 'selectSchema']) {
      const make = () => new ModelView({ model: Thing, databaseConfig, [option]: wrong })
      assert.throws(make, ValueError as any)
      assert.throws(make, /colour/)
    }
  })

  test('[S19] what is no model is a TypeError', ({ assert }) => {
    for (const model of [class {}, {}, null, undefined, 'Thing']) {
      assert.throws(() => new ModelView({ model: model as any, databaseConfig }), TypeError as any)
    }
  })

  test('[S19] a missing dependency is a RuntimeError', ({ assert }) => {
    class Elsewhere extends Thing {
      static connection = 'nowhere'
    }
    assert.throws(
      () => new ModelView({ model: Thing, databaseConfig: undefined as any }),
      RuntimeError as any
    )
    assert.throws(() => new ModelView({ model: Elsewhere, databaseConfig }), RuntimeError as any)
  })

  test('[P13] schemas are its own, else those of @Crud, else derived', async ({ assert }) => {
    @Crud({ createSchema: nameSchema, updateSchema: nameSchema })
    class Decorated extends Country {
      static table = 'countries'
    }
    const own = vine.object({ code: vine.string() })
    const fields = async (model: typeof Country, options: AdminViewOptions = {}) => {
      const { resource } = new ModelView({ model, databaseConfig, ...options })
      await resource.load()
      const names = (body: typeof resource.createBody) => body.fields.map(({ wire }) => wire)
      return { create: names(resource.createBody), update: names(resource.updateBody) }
    }

    assert.deepEqual(await fields(Decorated), { create: ['name'], update: ['name'] })
    assert.deepEqual(await fields(Decorated, { createSchema: own }), {
      create: ['code'],
      update: ['name'],
    })
    assert.deepEqual(await fields(Decorated, { updateSchema: own }), {
      create: ['name'],
      update: ['code'],
    })
    const { create: derived } = await fields(Country)
    assert.sameMembers(derived, ['code', 'name'])
  })

  test('[S18] only the admin’s own models are read on the admin connection', ({ assert }) => {
    const apart = new DatabaseConfig({ admin: 'sqlite_readers' })
    const own = new ModelView({ model: AdminUser, databaseConfig: apart, adminModel: true })
    const other = new ModelView({ model: Thing, databaseConfig: apart })
    assert.equal(own.client().connectionName, 'sqlite_readers')
    assert.equal(other.client().connectionName, 'sqlite')
  })

  test('[S18] a model that names its own connection is read there', ({ assert }) => {
    class Elsewhere extends Thing {
      static connection = 'sqlite_readers'
    }
    const view = new ModelView({ model: Elsewhere, databaseConfig })
    assert.equal(view.client().connectionName, 'sqlite_readers')
  })
})
