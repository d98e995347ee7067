import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { Crud, resources } from '#crud'
import { crudOptionsOf } from '#crud/decorator'

test.group('The decorator @Crud', () => {
  test('[P2] the decorator only stores the options', ({ assert }) => {
    const before = resources.all().length
    const options = { tags: ['Notes'] }

    @Crud(options)
    class Note extends BaseModel {
      @column({ isPrimary: true })
      declare id: number
    }

    assert.strictEqual(crudOptionsOf(Note), options)
    assert.lengthOf(resources.all(), before)
  })

  test('[P2] options are empty by default', ({ assert }) => {
    @Crud()
    class Note extends BaseModel {}

    assert.deepEqual(crudOptionsOf(Note), {})
  })

  test('[P2] invalid options do not throw in the decorator', ({ assert }) => {
    const nonsense = {
      path: 5,
      filterConfig: { 'no such__thing': {} },
      includedMethods: ['fly'],
      deletedMethods: ['swim'],
      crud: 'none',
      session: null,
    }
    class NoModel {}

    assert.doesNotThrow(() => Crud(nonsense as any)(class Note extends BaseModel {}))
    assert.doesNotThrow(() => Crud(nonsense as any)(NoModel as any))
    assert.strictEqual(crudOptionsOf(NoModel), nonsense as object)
  })

  test('a subclass does not inherit the options', ({ assert }) => {
    @Crud({ path: 'notes' })
    class Note extends BaseModel {}
    class SecretNote extends Note {}

    assert.isUndefined(crudOptionsOf(SecretNote))
  })

  test('after a hot reload the new class has the new options', ({ assert }) => {
    const models = ['old', 'new'].map((path) => {
      class Note extends BaseModel {}
      Crud({ path })(Note)
      return Note
    })
    Crud({ path: 'newer' })(models[1])

    assert.deepEqual(models.map(crudOptionsOf), [{ path: 'old' }, { path: 'newer' }])
  })
})
