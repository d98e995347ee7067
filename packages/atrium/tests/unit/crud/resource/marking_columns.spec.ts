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

test.group('Options that name unsuitable columns', () => {
  test('[P9, S4] an option that names a column of an unsuitable type is an error', async ({
    assert,
  }) => {
    for (const options of [
      { isDeletedColumn: 'last_sold' },
      { deletedAtColumn: 'is_deleted' },
      { updatedAtColumn: 'name' },
    ]) {
      const { resource } = new EndpointCreator({ model: Utensil, ...options })
      await assert.rejects(() => resource.load(), /Utensil: \w+Column is '\w+', whose type is/)
    }
  })

  test('[P9, A22] showDeleted requires soft deletion', ({ assert }) => {
    assert.throws(() => new EndpointCreator({ model: Plain, showDeleted: true }), /showDeleted/)
  })

  test('[P6] a virtual field with the name of a column is an error', ({ assert }) => {
    try {
      new EndpointCreator({ model: Plain, virtualFields: ['name'] })
      assert.fail('accepted')
    } catch (error) {
      assert.instanceOf(error, ValueError)
      assert.include((error as Error).message, 'virtualFields names name')
    }
  })
})
