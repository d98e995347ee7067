import { test } from '@japa/runner'
import { BaseModel } from '@adonisjs/lucid/orm'
import { AdminView } from '#admin'
import { adminOptionsOf } from '#admin/decorator'
import { adminSite } from '#tests/helpers/admin'

test.group('@AdminView', () => {
  test('[P2] it keeps the options, and does nothing else', async ({ assert }) => {
    const options = { allowedActions: ['view' as const], label: 'Things' }
    @AdminView(options)
    class Thing extends BaseModel {}

    assert.strictEqual(adminOptionsOf(Thing), options)
    const site = await adminSite()
    assert.isFalse(site.models.has('Thing'))
  })

  test('[P13] all options may be left out', ({ assert }) => {
    @AdminView()
    class Thing extends BaseModel {}
    assert.deepEqual(adminOptionsOf(Thing), {})
  })

  test('[P2] options that are wrong do not throw yet', ({ assert }) => {
    const decorate = () => {
      @AdminView({ allowedActions: ['fly' as any], createSchema: 'none' as any })
      class Thing extends BaseModel {}
      return Thing
    }
    assert.doesNotThrow(decorate)
  })

  test('[P2] a subclass is not in the site because its parent is', ({ assert }) => {
    @AdminView()
    class Parent extends BaseModel {}
    class Child extends Parent {}
    assert.isUndefined(adminOptionsOf(Child))
  })
})
