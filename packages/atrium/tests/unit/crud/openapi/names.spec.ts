import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { EndpointCreator, type CrudOptions } from '#crud'
import { nameEndpoints, operationId, UniqueNames } from '#crud/openapi/names'
import { RouteItem } from '#tests/fixtures/routes'

class OrderLine extends BaseModel {
  static table = 'order_lines'

  @column({ isPrimary: true })
  declare id: number
}

const at = (model: any, options: CrudOptions = {}) => {
  const endpoints = new EndpointCreator({ model, ...options })
  endpoints.planRoutes()
  return endpoints
}

/** Ids of all operations. */
function ids(...all: EndpointCreator[]): string[] {
  const names = nameEndpoints(all, new UniqueNames())
  return all.flatMap((one) => one.routes.map((route) => operationId(route, one, names.get(one)!)))
}

test.group('Names in the API schema', () => {
  test('[Q1] operation ids consist of model and operation', ({ assert }) => {
    assert.deepEqual(ids(at(OrderLine, { endpointNames: { read_paginated: 'pages' } })), [
      'createOrderLine',
      'getOrderLine',
      'listOrderLines',
      'updateOrderLine',
      'deleteOrderLine',
      'paginateOrderLines',
    ])
  })

  test('[Q1] readable names of models and operations have spaces', ({ assert }) => {
    const endpoints = at(OrderLine)
    const names = nameEndpoints([endpoints], new UniqueNames()).get(endpoints)!
    assert.deepEqual(names, {
      item: 'OrderLine',
      items: 'OrderLines',
      one: 'order line',
      many: 'order lines',
    })
  })

  test('[Q1] of several endpoints of a model, the one at the table’s path has the plain name', ({
    assert,
  }) => {
    const only = { includedMethods: ['read' as const] }
    const all = [at(RouteItem, { path: 'a/goods_v1.0', ...only }), at(RouteItem, only)]
    assert.deepEqual(ids(...all), ['getRouteItemAtGoodsV10', 'getRouteItem'])
    assert.deepEqual(ids(...all.toReversed()), ['getRouteItem', 'getRouteItemAtGoodsV10'])
  })

  test('[P5, Q1] a table whose name is not a valid path requires an explicit path', ({
    assert,
  }) => {
    class OddName extends BaseModel {
      static table = 'Odd Names'

      @column({ isPrimary: true })
      declare id: number
    }
    const only = { includedMethods: ['read' as const] }
    assert.deepEqual(ids(at(OddName, { path: 'odd-names', ...only })), ['getOddName'])
    assert.throws(
      () => at(OddName, only),
      "OddName: the table is named 'Odd Names', and a path may hold only letters, digits, / and . _ ~ -; set one, as in @Crud({ path: 'names' })"
    )
  })

  test('[Q1] ids of custom operations consist of method and path', ({ assert }) => {
    class Own extends EndpointCreator {
      addRoutesToRouter() {
        const handler = () => null
        this.addCustomRoute({ method: 'POST', path: '/:id/send-mail', handler })
        this.addCustomRoute({ method: 'GET', path: '/', handler })
        this.addCustomRoute({
          method: 'PUT',
          path: '/all',
          handler,
          openapi: { operationId: 'everything' },
        })
      }
    }
    const endpoints = new Own({ model: OrderLine })
    endpoints.planRoutes()
    assert.deepEqual(ids(endpoints), ['postOrderLinesByIdSendMail', 'getOrderLines', 'everything'])
  })

  test('[Q1] operation ids and schema names are unique within the document', ({ assert }) => {
    const names = new UniqueNames(['Problem'])
    assert.equal(names.take('Problem'), 'Problem2')
    assert.equal(names.take('Item', ['', 'List']), 'Item')
    assert.equal(names.take('ItemList'), 'ItemList2')
    assert.equal(names.take('Thing'), 'Thing')
    names.take('WareList')
    assert.equal(names.take('Ware', ['', 'List']), 'Ware2')
  })

  test('[Q1] a class whose name is not a valid component name is described under its path', ({
    assert,
  }) => {
    const $Ümläut = class extends OrderLine {}
    Object.defineProperty($Ümläut, 'name', { value: 'Ü' })
    assert.include(ids(at($Ümläut)), 'listItems')
  })
})
