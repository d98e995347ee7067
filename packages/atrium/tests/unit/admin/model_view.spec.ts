import { test } from '@japa/runner'
import { BaseModel, column, computed } from '@adonisjs/lucid/orm'
import vine from '@vinejs/vine'
import { AdminUser, ModelView, type AdminViewOptions } from '#admin'
import { DatabaseConfig } from '#admin/config/database_config'
import { ListColumn } from '#admin/views/list_column'
import { Crud, RuntimeError, ValueError } from '#crud'
import { noteKey } from '#base/items'
import { Country, Seat } from '#tests/fixtures/keys'
import { Sample } from '#tests/fixtures/samples'
import { ANOTHER, MAIN } from '#tests/helpers/databases'

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
  test('[S17] the key of a view is the class name of its model, and options have defaults', ({
    assert,
  }) => {
    const view = new ModelView({ model: Thing, databaseConfig })
    assert.equal(view.name, 'Thing')
    assert.equal(view.label, 'Things')
    assert.equal(view.singular, 'Thing')
    assert.strictEqual(view.model, Thing)
    assert.isFalse(view.adminModel)
    assert.isUndefined(view.adminSite)
    assert.strictEqual(view.databaseConfig, databaseConfig)
  })

  test('[P13] all actions are allowed by default', ({ assert }) => {
    const all = new ModelView({ model: Thing, databaseConfig })
    for (const action of ['view', 'create', 'update', 'delete'] as const) {
      assert.isTrue(all.may(action), action)
    }
    const some = new ModelView({ model: Thing, databaseConfig, allowedActions: ['view'] })
    assert.deepEqual([...some.allowedActions], ['view'])
    assert.isFalse(some.may('delete'))
  })

  test('[S17] the allowed actions can be a Set, also an empty one', ({ assert }) => {
    const allowedActions = new Set(['create', 'view'] as const)
    const view = new ModelView({ model: Thing, databaseConfig, allowedActions })
    assert.isTrue(view.may('create'))
    assert.isFalse(view.may('update'))
    const none = new ModelView({ model: Thing, databaseConfig, allowedActions: new Set() })
    assert.isFalse(none.may('view'))
  })

  test('[S19] an unknown action is refused with a list of the known ones', ({ assert }) => {
    const make = () =>
      new ModelView({ model: Thing, databaseConfig, allowedActions: ['fly' as any] })
    assert.throws(make, ValueError as any)
    assert.throws(
      make,
      "Thing: allowedActions names 'fly', which is not an action; actions are view, create, update, delete"
    )
  })

  test('[S19] a schema that does not match the model is a ValueError', ({ assert }) => {
    const wrong = vine.object({ colour: vine.string() })
    for (const option of ['createSchema', 'updateSchema', 'selectSchema']) {
      const make = () => new ModelView({ model: Thing, databaseConfig, [option]: wrong })
      assert.throws(make, ValueError as any)
      assert.throws(make, /colour/)
    }
  })

  test('[S19] a model that is not a class of Lucid is a TypeError', ({ assert }) => {
    for (const model of [class {}, {}, null, undefined, 'Thing']) {
      assert.throws(() => new ModelView({ model: model as any, databaseConfig }), TypeError as any)
    }
  })

  test('[S19] a missing configuration or an unknown connection is a RuntimeError', ({ assert }) => {
    class Elsewhere extends Thing {
      static connection = 'nowhere'
    }
    assert.throws(
      () => new ModelView({ model: Thing, databaseConfig: undefined as any }),
      RuntimeError as any
    )
    assert.throws(() => new ModelView({ model: Elsewhere, databaseConfig }), RuntimeError as any)
  })

  test('[P13] the schemas are those of the view, or else those of @Crud, or else derived ones', async ({
    assert,
  }) => {
    @Crud({ createSchema: nameSchema, updateSchema: nameSchema })
    class Decorated extends Country {
      static table = 'countries'
    }
    const own = vine.object({ code: vine.string() })
    const fields = async (model: typeof Country, options: AdminViewOptions = {}) => {
      const { resource } = new ModelView({ model, databaseConfig, ...options })
      await resource.load()
      const names = (body: typeof resource.createBody) => body.fields.map(({ apiName }) => apiName)
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

  test('[S18] only the admin site’s own models use the admin connection', ({ assert }) => {
    const apart = new DatabaseConfig({ admin: ANOTHER })
    const own = new ModelView({ model: AdminUser, databaseConfig: apart, adminModel: true })
    const other = new ModelView({ model: Thing, databaseConfig: apart })
    assert.equal(own.client().connectionName, ANOTHER)
    assert.equal(other.client().connectionName, MAIN)
  })

  test('[S18] a model with an explicit connection is read on that connection', ({ assert }) => {
    class Elsewhere extends Thing {
      static connection = ANOTHER
    }
    const view = new ModelView({ model: Elsewhere, databaseConfig })
    assert.equal(view.client().connectionName, ANOTHER)
  })
})

/** A model with a hidden column and a computed property. */
class Person extends BaseModel {
  static table = 'door_people'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare fullName: string

  @column({ serializeAs: null })
  declare pin: string

  @computed()
  get initials() {
    return this.fullName[0]
  }
}

test.group('ModelView | options that name fields', () => {
  const make = (options: AdminViewOptions) => () =>
    new ModelView({ model: Person, databaseConfig, ...options })

  test('[S19] list columns can be visible columns and computed properties', ({ assert }) => {
    assert.doesNotThrow(make({ listColumns: ['full_name', 'initials', 'id'] }))
    assert.throws(
      make({ listColumns: new Set(['full_name', 'nope']) }),
      ValueError as any,
      'Person: listColumns names nope, which the view does not show; it shows id, full_name and initials'
    )
    for (const name of ['pin', 'fullName', '', '__proto__']) {
      assert.throws(make({ listColumns: [name] }), ValueError as any)
    }
  })

  test('[S19] a class in listColumns must be a ListColumn', ({ assert }) => {
    class Own extends ListColumn {
      readonly name = 'own'
      readonly label = 'Own'
      value() {
        return 'x'
      }
    }
    assert.doesNotThrow(make({ listColumns: ['id', Own] }))
    for (const wrong of [class {}, ListColumn, 7, null]) {
      assert.throws(make({ listColumns: [wrong as any] }), ValueError as any)
    }
  })

  test('[S19] searchable and sort columns must be columns', ({ assert }) => {
    assert.doesNotThrow(make({ searchableColumns: ['full_name'], defaultSort: '-full_name' }))
    assert.doesNotThrow(make({ defaultSort: '-full_name,id' }))
    const wrong: AdminViewOptions[] = [
      { searchableColumns: ['nope'] },
      { searchableColumns: ['pin'] },
      { searchableColumns: ['initials'] },
      { defaultSort: 'nope' },
      { defaultSort: '-pin' },
      { defaultSort: '--id' },
      { defaultSort: 'id,pin' },
      { defaultSort: 'id,' },
      { defaultSort: '' },
    ]
    for (const options of wrong) {
      const [name] = Object.keys(options)
      assert.throws(make(options), ValueError as any)
      assert.throws(make(options), new RegExp(`^Person: ${name} names `))
    }
  })

  test('[S19] a title can be a visible column or a function', ({ assert }) => {
    assert.doesNotThrow(make({ title: 'full_name' }))
    assert.doesNotThrow(make({ title: () => 'x' }))
    for (const title of ['nope', 'pin', 'fullName', '']) {
      assert.throws(make({ title }), ValueError as any)
    }
  })

  test('[S19] field options are accepted for existing fields, including hidden ones', ({
    assert,
  }) => {
    const fields = { pin: { label: 'PIN' }, password: { help: 'Long' }, initials: { label: 'I' } }
    assert.doesNotThrow(make({ fields, virtualFields: ['password'] }))
    assert.throws(make({ fields }), /^Person: fields names password,/)
    assert.throws(make({ fields: { fullName: { label: 'Name' } } }), ValueError as any)
  })

  test('[S19] the internal update schema must match the model', ({ assert }) => {
    assert.doesNotThrow(make({ updateInternalSchema: vine.object({ full_name: vine.string() }) }))
    assert.throws(
      make({ updateInternalSchema: vine.object({ updated_at: vine.date() }) }),
      ValueError as any,
      /^Person: updateInternalSchema does not match the model: updated_at is not a column; columns are /
    )
    assert.throws(make({ updateInternalSchema: vine.string() as any }), ValueError as any)
  })

  test('[S19] an invalid deletion schema is refused', ({ assert }) => {
    assert.throws(make({ deleteSchema: vine.string() as any }), ValueError as any)
  })
})

test.group('ModelView | labels and titles', () => {
  const make = (options: AdminViewOptions = {}, model: typeof BaseModel = Person) =>
    new ModelView({ model, databaseConfig, ...options })

  test("[S17] the model's label is its class name in words, in the plural", ({ assert }) => {
    class OrderLine extends Thing {}
    const view = make({}, OrderLine)
    assert.deepEqual(
      [view.name, view.singular, view.label],
      ['OrderLine', 'Order line', 'Order lines']
    )
    const named = make({ singular: 'Man', label: 'Folks', icon: 'M0 0', group: 'All' })
    assert.deepEqual(
      [named.singular, named.label, named.icon, named.group],
      ['Man', 'Folks', 'M0 0', 'All']
    )
    assert.equal(make({ singular: 'Child' }).label, 'Children')
  })

  test("[S17] a field's label is its name in words, or the option", ({ assert }) => {
    const view = make({ fields: { full_name: { label: 'Called' } } })
    assert.equal(view.labelOf('full_name'), 'Called')
    assert.equal(view.labelOf('release_date'), 'Release date')
    assert.equal(view.labelOf('id'), 'ID')
    assert.equal(view.labelOf('lender_id'), 'Lender')
    assert.equal(view.labelOf('_id'), '_id')
  })

  test("[S17] a record's title is its title column, or else its first text", async ({ assert }) => {
    const titleOf = async (model: any, item: object, options: AdminViewOptions = {}) => {
      const view = make(options, model)
      await view.resource.load()
      return view.titleOf(noteKey({ ...item }, [7]))
    }
    /* `code` is the key of this model and not a title. */
    assert.equal(await titleOf(Country, { code: 'DE', name: 'Germany' }), 'Germany')
    assert.equal(await titleOf(Sample, { name: 'Ada', status: 'sent' }), 'Ada')
    assert.equal(await titleOf(Seat, { hall: 1, label: 'Window' }), 'Window')
    assert.equal(
      await titleOf(Sample, { name: 'Ada', status: 'sent' }, { title: 'status' }),
      'sent'
    )
    const title = (item: Record<string, unknown>) => `${item.name}!`
    assert.equal(await titleOf(Sample, { name: 'Ada' }, { title }), 'Ada!')
  })

  test('[S17.2] a text column with the name of a date is not used as the title', async ({
    assert,
  }) => {
    class Order extends BaseModel {
      static table = 'samples'

      @column({ isPrimary: true })
      declare id: number

      @column({ columnName: 'long_text', serializeAs: 'OrderDate' })
      declare orderDate: string

      @column({ columnName: 'name', serializeAs: 'customer' })
      declare customer: string
    }
    const view = make({}, Order)
    await view.resource.load()
    assert.equal(view.titleColumn?.apiName, 'customer')
  })

  test('[S17] a record without a title column has its key as the title', async ({ assert }) => {
    const view = make({}, Sample)
    await view.resource.load()
    for (const name of [null, undefined, '', '  ', '\u200B']) {
      assert.equal(view.titleOf(noteKey({ name }, [7])), 'Sample 7')
    }
    const seat = make({ title: () => '' }, Seat)
    assert.equal(seat.titleOf(noteKey({}, [1, 'a'])), 'Seat 1, a')
    assert.equal(seat.titleOf({}), 'Seat')
  })

  test('[S17] a title is text, whatever the type of the column', ({ assert }) => {
    const view = make({ title: 'id' })
    assert.equal(view.titleOf({ id: 0 }), '0')
    assert.equal(view.titleOf({ id: false }), 'false')
  })
})
