import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { ValueError } from '#crud'
import { modelNames } from '#crud/scaffold/model_names'

test.group('modelNames()', () => {
  test('[P12] {0} is the model {1} with the table {2}')
    .with([
      ['Invoice', 'Invoice', 'invoices'],
      ['invoice', 'Invoice', 'invoices'],
      ['invoices', 'Invoice', 'invoices'],
      ['order_line', 'OrderLine', 'order_lines'],
      ['order_lines', 'OrderLine', 'order_lines'],
      ['OrderLine', 'OrderLine', 'order_lines'],
      ['order-lines', 'OrderLine', 'order_lines'],
      ['Order lines', 'OrderLine', 'order_lines'],
      [' people ', 'Person', 'people'],
      ['Category', 'Category', 'categories'],
      ['statuses', 'Status', 'statuses'],
      ['mice', 'Mouse', 'mice'],
      ['Event', 'Event', 'events'],
    ])
    .run(({ assert }, [given, model, table]) => {
      const names = modelNames(app, given)
      assert.equal(names.model, model)
      assert.equal(names.table, table)
    })

  test('[P12, P5] file names, path and label are derived from the model name', ({ assert }) => {
    assert.deepEqual(modelNames(app, 'order line'), {
      model: 'OrderLine',
      table: 'order_lines',
      label: 'Order lines',
      path: '/order-lines',
      modelFile: 'order_line.ts',
      factory: 'OrderLineFactory',
      factoryFile: 'order_line_factory.ts',
      testFile: 'order_lines.spec.ts',
    })
  })

  test('[P12] the name {0} is refused')
    .with([
      ['', "'' can't be a model: its name is made of letters and digits"],
      ['1st', "can't be a model"],
      ['../Invoice', "can't be a model"],
      ['shop/Invoice', "can't be a model"],
      ["x'); --", "can't be a model"],
      ['étage', "can't be a model"],
      ['Model', 'it is what all of them are'],
      ['Object', "Object can't be a model"],
      ['strings', "String can't be a model: JavaScript or Lucid has a class of that name"],
      ['BaseModels', "can't be a model"],
      ['Crud', "Crud can't be a model"],
      ['x'.repeat(50), 'has more than 40 characters'],
    ])
    .run(({ assert }, [given, message]) => {
      assert.throws(() => modelNames(app, given), ValueError as any, message)
    })
})
