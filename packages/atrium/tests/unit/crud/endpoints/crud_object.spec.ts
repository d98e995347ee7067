import { test } from '@japa/runner'
import { LucidCrud, ValueError } from '#crud'
import { crudOf, settingsOf } from '#crud/endpoints/model_endpoints'
import { Resource } from '#crud/resource/resource'
import { Counter, Note } from '#tests/fixtures/crud'
import { Jotting } from '#tests/fixtures/writes'

class CounterCrud extends LucidCrud<typeof Counter> {}

test.group('The crud option', () => {
  const resource = new Resource({ model: Counter })

  test('[P8] without the option, a LucidCrud of the model is used', ({ assert }) => {
    const crud = crudOf({}, resource)
    assert.strictEqual(crud.constructor, LucidCrud)
    assert.strictEqual(crud.model, Counter)
    assert.strictEqual(crud.resource, resource)
  })

  test('[P8] a subclass of LucidCrud is instantiated for the model', ({ assert }) => {
    const crud = crudOf({ crud: CounterCrud }, resource)
    assert.instanceOf(crud, CounterCrud)
    assert.strictEqual(crud.resource, resource)
  })

  test('[P8] an instance of LucidCrud is used unchanged', ({ assert }) => {
    const own = new CounterCrud(Counter)
    const crud: unknown = crudOf({ crud: own }, resource)
    assert.strictEqual(crud, own)
    assert.strictEqual(own.resource, resource)
  })

  test('[P8] an instance that belongs to another resource is unchanged, and a copy is bound to the new resource', ({
    assert,
  }) => {
    const own = new CounterCrud(Counter)
    const first: unknown = crudOf({ crud: own }, new Resource({ model: Counter }))
    const second: unknown = crudOf({ crud: own }, resource)
    assert.strictEqual(first, own)
    assert.notStrictEqual(second, own)
    assert.instanceOf(second, CounterCrud)
    assert.strictEqual((second as CounterCrud).resource, resource)
  })

  test('[P9] a crud option other than a LucidCrud or a subclass of it is a ValueError', ({
    assert,
  }) => {
    for (const crud of ['CounterCrud', 7, null, {}, Map]) {
      const make = () => crudOf({ crud: crud as any }, resource)
      assert.throws(make, ValueError as any)
      assert.throws(make, /^Counter: crud is .*, and must be a LucidCrud, or a subclass of it$/)
    }
  })

  test('[P9] an instance for another model is a ValueError that names both', ({ assert }) => {
    assert.throws(
      () => crudOf({ crud: new LucidCrud(Note) as any }, resource),
      ValueError as any,
      'Counter: crud is one for Note, and must be for Counter'
    )
  })

  test('[S4] column options of the model take precedence over those of its CRUD object', ({
    assert,
  }) => {
    const crud = new LucidCrud(Jotting, {
      isDeletedColumn: 'is_removed',
      deletedAtColumn: 'removed_at',
    })
    assert.deepEqual(settingsOf({ crud, deletedAtColumn: 'seen_at' }), {
      isDeletedColumn: 'is_removed',
      deletedAtColumn: 'seen_at',
      updatedAtColumn: undefined,
    })
    assert.deepEqual(settingsOf({ crud: CounterCrud, updatedAtColumn: 'changed_at' }), {
      isDeletedColumn: undefined,
      deletedAtColumn: undefined,
      updatedAtColumn: 'changed_at',
    })
  })
})
