import { BaseModel, column } from '@adonisjs/lucid/orm'
import { test } from '@japa/runner'
import { EndpointCreator, ValueError } from '#crud'
import { Utensil } from '#tests/fixtures/shop'

class Plain extends BaseModel {
  static table = 'lenders'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string
}

test.group('Options that do not go with the columns', () => {
  test('[P9, S4] a column that can’t mark what it is to mark is a fault', async ({ assert }) => {
    for (const options of [
      { isDeletedColumn: 'last_sold' },
      { deletedAtColumn: 'is_deleted' },
      { updatedAtColumn: 'name' },
    ]) {
      const { resource } = new EndpointCreator({ model: Utensil, ...options })
      await assert.rejects(() => resource.load(), /Utensil: \w+Column is '\w+', whose type is/)
    }
  })

  test('[P9, A22] showDeleted needs something that marks items deleted', ({ assert }) => {
    assert.throws(() => new EndpointCreator({ model: Plain, showDeleted: true }), /showDeleted/)
  })

  test('[P6] a virtual field is no column', ({ assert }) => {
    try {
      new EndpointCreator({ model: Plain, virtualFields: ['name'] })
      assert.fail('accepted')
    } catch (error) {
      assert.instanceOf(error, ValueError)
      assert.include((error as Error).message, 'virtualFields names name')
    }
  })
})
