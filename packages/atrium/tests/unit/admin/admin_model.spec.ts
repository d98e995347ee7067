import { test } from '@japa/runner'
import { BaseModel, CamelCaseNamingStrategy, column } from '@adonisjs/lucid/orm'
import { AdminModel } from '#admin/models/admin_model'

test('[K5.2] models of the engine have their own column names, whatever naming strategy the application uses', ({
  assert,
  cleanup,
}) => {
  const { namingStrategy } = BaseModel
  BaseModel.namingStrategy = new CamelCaseNamingStrategy()
  cleanup(() => void (BaseModel.namingStrategy = namingStrategy))

  class Own extends AdminModel {
    @column()
    declare lastUsed: string
  }
  class Other extends BaseModel {
    @column()
    declare lastUsed: string
  }
  assert.equal(Own.$getColumn('lastUsed')!.serializeAs, 'last_used')
  assert.equal(Other.$getColumn('lastUsed')!.serializeAs, 'lastUsed')
})
