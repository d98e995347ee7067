import { test } from '@japa/runner'
import testUtils from '@adonisjs/core/services/test_utils'
import { AdminUser, ModelView, type AdminViewOptions } from '#admin'
import { DatabaseConfig } from '#admin/config/database_config'
import { Crud, EndpointCreator, LucidCrud, ValueError } from '#crud'
import type { CrudRouterOptions } from '#crud/decorator'
import { Country } from '#tests/fixtures/keys'
import { ANOTHER, MAIN } from '#tests/helpers/databases'

const databaseConfig = new DatabaseConfig()

function viewOf(options: AdminViewOptions & { model?: typeof Country } = {}) {
  return new ModelView({ model: Country, databaseConfig, ...options })
}

class Own extends EndpointCreator {}

test.group('Endpoints of a view', () => {
  test('[S61, P13] the endpoints are created by the view’s EndpointCreator, or else by the one of @Crud', ({
    assert,
  }) => {
    @Crud({ endpointCreator: Own })
    class Decorated extends Country {}
    class Another extends EndpointCreator {}

    assert.strictEqual(viewOf().endpoints.constructor, EndpointCreator)
    assert.instanceOf(viewOf({ model: Decorated }).endpoints, Own)
    const other = viewOf({ model: Decorated, endpointCreator: Another })
    assert.instanceOf(other.endpoints, Another)
  })

  test('[S61, P14] the endpoints share the view’s resource and CRUD object', ({ assert }) => {
    const crud = new LucidCrud(Country)
    const view = viewOf({ crud })
    assert.equal(view.endpoints.path, '/Country/crud')
    assert.strictEqual(view.endpoints.resource, view.resource)
    assert.strictEqual(view.endpoints.crud, view.crud)
    assert.strictEqual(view.crud, crud as LucidCrud)
  })

  test('[B14, A24] allowedActions determines the operations; db_delete needs no deleteSchema', ({
    assert,
  }) => {
    const operations = (allowedActions?: AdminViewOptions['allowedActions']) => [
      ...viewOf({ allowedActions }).endpoints.operations,
    ]
    assert.deepEqual(operations(['view']), ['read', 'read_multi'])
    assert.deepEqual(operations(['create']), ['create'])
    assert.deepEqual(operations(new Set(['update'] as const)), ['update'])
    assert.deepEqual(operations(['delete']), ['delete', 'db_delete'])
    assert.deepEqual(operations([]), [])
    assert.lengthOf(operations(), 6)
  })

  test('[B14, P13] restrictions of @Crud for its own endpoints do not apply to those of the view', ({
    assert,
  }) => {
    @Crud({
      path: 'elsewhere',
      access: 'token',
      includedMethods: ['read'],
      endpointNames: { read_multi: 'list' },
    })
    class Decorated extends Country {}
    const { endpoints } = viewOf({ model: Decorated })
    assert.equal(endpoints.path, '/Decorated/crud')
    assert.equal(endpoints.listPath, '/Decorated/crud')
    assert.lengthOf(endpoints.operations, 6)
    assert.isTrue(endpoints.isAccessDefault('create'))
  })

  test('[P11, P9] an EndpointCreator whose constructor does not pass on the mount is a ValueError', ({
    assert,
  }) => {
    class Deaf extends EndpointCreator {
      constructor(options: CrudRouterOptions) {
        super(options)
      }
    }
    const make = () => viewOf({ endpointCreator: Deaf })
    assert.throws(make, ValueError as any)
    assert.throws(make, /^Country: the constructor of Deaf does not pass its arguments on/)
  })

  test('[P9, S19] an endpointCreator of another class, or with colliding routes, is a ValueError', ({
    assert,
  }) => {
    class Colliding extends EndpointCreator {
      addRoutesToRouter() {
        super.addRoutesToRouter()
        this.addCustomRoute({ method: 'GET', path: '/', handler: () => null })
        this.addCustomRoute({ method: 'GET', path: '/:any', handler: () => null })
      }
    }
    for (const [endpointCreator, message] of [
      [class {}, /endpointCreator is .*must be a subclass of EndpointCreator/],
      [Colliding, /would share GET/],
    ] as Array<[any, RegExp]>) {
      assert.throws(() => viewOf({ endpointCreator }), ValueError as any)
      assert.throws(() => viewOf({ endpointCreator }), message)
    }
  })

  test("[S18] the endpoints use the view's connection", async ({ assert }) => {
    const ctx = await testUtils.createHttpContext()
    class Peeking extends EndpointCreator {
      client(request: any) {
        return this.callOptions(request).client!.connectionName
      }
    }
    const apart = new DatabaseConfig({ admin: ANOTHER })
    const endpointCreator = Peeking
    const own = new ModelView({
      model: AdminUser,
      databaseConfig: apart,
      adminModel: true,
      endpointCreator,
    })
    const other = new ModelView({ model: Country, databaseConfig: apart, endpointCreator })
    assert.equal((own.endpoints as Peeking).client(ctx), ANOTHER)
    assert.equal((other.endpoints as Peeking).client(ctx), MAIN)
  })
})
