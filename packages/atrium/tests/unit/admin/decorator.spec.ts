import { test } from '@japa/runner'
import { BaseModel } from '@adonisjs/lucid/orm'
import { AdminView } from '#admin'
import { adminOptionsOf } from '#admin/views/decorator'
import { adminSite } from '#tests/helpers/admin'

test.group('@AdminView', () => {
  test('[P2] the decorator only stores the options', async ({ assert }) => {
    const options = { allowedActions: ['view' as const], label: 'Things' }
    @AdminView(options)
    class Thing extends BaseModel {}

    assert.strictEqual(adminOptionsOf(Thing), options)
    const site = await adminSite()
    assert.isFalse(site.models.has('Thing'))
  })

  test('[P13] all options of the decorator are optional', ({ assert }) => {
    @AdminView()
    class Thing extends BaseModel {}
    assert.deepEqual(adminOptionsOf(Thing), {})
  })

  test('[P2] invalid options do not throw in the decorator', ({ assert }) => {
    const decorate = () => {
      @AdminView({ allowedActions: ['fly' as any], createSchema: 'none' as any })
      class Thing extends BaseModel {}
      return Thing
    }
    assert.doesNotThrow(decorate)
  })

  test("[P2] a subclass does not inherit the registration by its parent's decorator", ({
    assert,
  }) => {
    @AdminView()
    class Parent extends BaseModel {}
    class Child extends Parent {}
    assert.isUndefined(adminOptionsOf(Child))
  })
})
