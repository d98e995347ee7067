import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import {
  ConfigurationError,
  crudRouter,
  EndpointCreator,
  resources,
  ValueError,
  useTokenAuthorizer,
} from '#crud'
import { Resource } from '#crud/resource/resource'
import { ResourceRegistry } from '#crud/resource/registry'
import { RouteItem, RouteWord, WordEndpoints } from '#tests/fixtures/routes'

/** A model without a table. */
function modelWithoutTable(name: string) {
  class Model extends BaseModel {
    static table = `no_${name}`

    @column({ isPrimary: true })
    declare id: number
  }
  Object.defineProperty(Model, 'name', { value: name })
  return Model
}

async function failureOf(work: Promise<unknown>): Promise<any> {
  return work.then(
    () => undefined,
    (error) => error
  )
}

test.group('Registry of resources', () => {
  test('resources are listed in the order in which they were added', ({ assert }) => {
    const registry = new ResourceRegistry()
    const creators = ['b', 'a'].map((path) => new EndpointCreator({ model: RouteItem, path }))
    creators.forEach((creator) => registry.add(creator))

    assert.deepEqual([...registry.endpoints()], creators)
    assert.deepEqual([...registry.all()], [creators[0].resource, creators[1].resource])
  })

  test("[P9] two models can't have the same path", ({ assert }) => {
    const registry = new ResourceRegistry()
    registry.add(new EndpointCreator({ model: RouteItem, path: 'here' }))
    const second = new EndpointCreator({ model: RouteWord, path: '/here/' })

    assert.throws(
      () => registry.add(second),
      ValueError as any,
      "RouteWord: the path /api/here is RouteItem's already; give one of them another path"
    )
    assert.lengthOf(registry.all(), 1)
  })

  test('[P15] all missing tables are reported together', async ({ assert }) => {
    const registry = new ResourceRegistry()
    for (const name of ['Ghost', 'Shadow']) {
      registry.add(new EndpointCreator({ model: modelWithoutTable(name), path: name }))
    }
    registry.add(new EndpointCreator({ model: RouteItem, path: 'there' }))

    const failure = await failureOf(registry.load())
    assert.instanceOf(failure, ConfigurationError)
    assert.lengthOf(failure.errors, 2)
    assert.include(failure.message, 'Ghost: the table no_Ghost does not exist')
    assert.include(failure.message, 'Shadow: the table no_Shadow does not exist')
    assert.include(failure.message, 'node ace migrate')
    assert.isTrue(registry.all()[2].isLoaded)
  })

  test('[P15] the number of statements that read the tables does not depend on the number of tables', async ({
    assert,
    cleanup,
  }) => {
    const knex = db.connection().getWriteClient()
    let statements = 0
    const count = () => void statements++
    knex.on('query', count)
    cleanup(() => void knex.off('query', count))
    const registry = new ResourceRegistry()
    const added = async (resource: Resource) => {
      registry.track(resource)
      statements = 0
      await registry.load()
      assert.isTrue(resource.isLoaded)
      return statements
    }

    const one = await added(new Resource({ model: RouteItem }))
    registry.add(new EndpointCreator({ model: RouteItem }))
    registry.add(new EndpointCreator({ model: RouteWord }))
    assert.isAbove(one, 0)
    assert.equal(await added(new Resource({ model: RouteItem })), one)
    assert.isTrue(registry.all().every(({ isLoaded }) => isLoaded))
  })

  test('[P9, R13] an option that does not fit the type of its column prevents the start', async ({
    assert,
  }) => {
    const registry = new ResourceRegistry()
    const check = () => {
      throw new ValueError('The column is a text')
    }
    registry.track(new Resource({ model: RouteItem }), { check })
    const { message } = await failureOf(registry.load())
    assert.include(message, 'The column is a text')
  })

  test('errors other than configuration errors are thrown unchanged', async ({ assert }) => {
    const registry = new ResourceRegistry()
    const creator = new EndpointCreator({ model: RouteItem })
    registry.add(creator)
    const broken = new Error('the disk is full')
    creator.resource.load = () => Promise.reject(broken)

    assert.strictEqual(await failureOf(registry.load()), broken)
  })

  test('[P10] an endpoint with token access is an error without an authorizer', async ({
    assert,
    cleanup,
  }) => {
    const before = useTokenAuthorizer(undefined)
    cleanup(() => void useTokenAuthorizer(before))
    const registry = new ResourceRegistry()
    registry.add(new EndpointCreator({ model: RouteItem, access: { update: 'token' } }))

    const failure = await failureOf(registry.load())
    assert.match(failure.message, /RouteItem: access is 'token', and nothing is registered/)
  })

  test('[P3] invalid options of crudRouter throw immediately, and no endpoints are registered', ({
    assert,
  }) => {
    const before = resources.all().length
    class Colliding extends WordEndpoints {
      addRoutesToRouter() {
        super.addRoutesToRouter()
        this.addCustomRoute({ method: 'GET', path: '/:other', handler: () => null })
      }
    }
    const attempt = () =>
      crudRouter({ model: RouteWord, path: 'colliding', endpointCreator: Colliding })

    assert.throws(attempt, ValueError as any)
    assert.lengthOf(resources.all(), before)
  })

  test('[P9] an endpointCreator that is not a subclass of EndpointCreator is an error', ({
    assert,
  }) => {
    class Stranger {}
    assert.throws(
      () => crudRouter({ model: RouteWord, endpointCreator: Stranger as any }),
      ValueError as any,
      'RouteWord: endpointCreator is [class Stranger], and must be a subclass of EndpointCreator'
    )
  })
})
