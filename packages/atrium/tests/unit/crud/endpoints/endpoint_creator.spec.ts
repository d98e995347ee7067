import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import vine from '@vinejs/vine'
import { EndpointCreator, LucidCrud, ValueError, type CrudOptions, type Operation } from '#crud'
import { defineConfig } from '#crud/define_config'
import { RouteItem, RouteWord } from '#tests/fixtures/routes'
import { Seat } from '#tests/fixtures/keys'

const deleteSchema = vine.object({})
const ALL = ['create', 'read', 'read_multi', 'update', 'delete', 'db_delete']

function creatorWith(options: CrudOptions) {
  return new EndpointCreator({ model: RouteItem, ...options })
}

/** Invalid options and their messages. All bypass the compiler. */
const ERRORS: Array<[options: object, message: string]> = [
  [{ pathh: 'x' }, "there is no option 'pathh'; options are model, path, tags,"],
  [{ path: 5 }, 'path is 5, and must be a string'],
  [{ path: 'two words' }, "path is 'two words', which may hold only letters, digits, /"],
  [{ path: '/' }, "path is '/'"],
  [{ path: 'a//b' }, "path is 'a//b'"],
  [{ path: '../admin' }, "path is '../admin'"],
  [{ path: ':id' }, "path is ':id'"],
  [{ tags: 'Items' }, "tags is 'Items', and must be a list of strings"],
  [{ tags: [1] }, 'tags is [ 1 ], and must be a list of strings'],
  [{ session: 'sqlite' }, "session is 'sqlite', and must be a function"],
  [{ showDeleted: 'yes' }, "showDeleted is 'yes', and must be true or false"],
  [{ filterConfig: 'name' }, "filterConfig is 'name', and must be an object"],
  [{ virtualFields: 'x' }, "virtualFields is 'x', and must be a list of strings"],
  [{ isDeletedColumn: true }, 'isDeletedColumn is true, and must be a string'],
  [{ policy: true }, 'policy is true, and must be a function'],
  [{ scope: {} }, 'scope is {}, and must be a function'],
  [{ includedMethods: 'read' }, "includedMethods is 'read', and must be a list of strings"],
  [{ includedMethods: 5 }, 'includedMethods is 5, and must be a list of strings'],
  [{ includedMethods: ['read'].values() }, 'and must be a list of strings'],
  [{ includedMethods: ['fly'] }, "includedMethods names 'fly', which is not an operation"],
  [{ deletedMethods: new Set(['swim']) }, "deletedMethods names 'swim', which is not an operation"],
  [{ endpointNames: ['add'] }, "endpointNames is [ 'add' ], and must be an object"],
  [{ endpointNames: { craete: 'add' } }, "endpointNames names 'craete', which is not an operation"],
  [{ endpointNames: { create: 'a/b' } }, "gives create the path segment 'a/b'"],
  [{ endpointNames: { create: ':id' } }, "gives create the path segment ':id'"],
  [{ endpointNames: { create: '..' } }, "gives create the path segment '..'"],
  [{ endpointNames: { create: 5 } }, "gives create the path segment '5'"],
  [{ middleware: { creat: [] } }, "middleware names 'creat', which is not an operation"],
  [{ middleware: { create: 'auth' } }, 'must be a map from operations to lists of middleware'],
  [{ access: 'everyone' }, "access is 'everyone', and must be 'public' or 'token'"],
  [{ access: { update: 'me' } }, "access is 'me', and must be 'public' or 'token'"],
  [{ access: { updat: 'token' } }, "access names 'updat', which is not an operation"],
  [{ access: null }, 'access is null'],
  [{ crud: 'none' }, "crud is 'none', and must be a LucidCrud, or a subclass of it"],
  [{ crud: class Stranger {} }, 'crud is [class Stranger], and must be a LucidCrud'],
  [{ crud: new LucidCrud(RouteWord) }, 'crud is one for RouteWord, and must be for RouteItem'],
  [{ createSchema: {} }, 'createSchema is {}, and must be a VineJS object schema'],
  [{ batch: 'yes' }, "batch is 'yes', and must be true or false"],
  [
    { batch: true, includedMethods: ['read'] },
    'batch is set, but the model has no create, update or delete',
  ],
  [{ responseKey: 'total_count' }, "responseKey is 'total_count', and must be a name other than"],
  [{ responseKey: 5 }, 'responseKey is 5'],
  [
    { include: { always: 'word' } },
    "include is { always: 'word' }, and must be a list of relations",
  ],
  [{ include: { optional: [] } }, 'include is { optional: [] }'],
  [{ include: { always: ['owner'] } }, "include names 'owner'"],
  [{ operators: { eq: () => {} } }, "operators has 'eq', which the engine has"],
  [{ operators: { a__b: () => {} } }, 'letters, digits and single underscores'],
  [{ operators: { near: 5 } }, "operators has 'near', which must be a function"],
  [{ filterConfig: { name__near: null } }, "there is no operator 'near'"],
  [{ deprecated: true }, 'deprecated is true, and must be an object'],
  [{ deprecated: {} }, 'deprecated needs since'],
  [{ deprecated: { since: 'soon' } }, "deprecated.since is 'soon', and must be a Date"],
  [{ deprecated: { since: '2026-01-02', sunset: '2026-01-01' } }, 'must not be before since'],
  [{ deprecated: { since: '2026-01-02', until: 'x' } }, "there is no option 'deprecated.until'"],
  [{ deleteSchema: true }, 'deleteSchema is true, and must be a VineJS object schema'],
]

test.group('EndpointCreator | configuration', () => {
  test('[P9] an invalid option throws an error with the message: {1}')
    .with(ERRORS)
    .run(({ assert }, [options, message]) => {
      let failure: any
      try {
        creatorWith(options)
      } catch (error) {
        failure = error
      }
      assert.instanceOf(failure, ValueError)
      assert.include(failure.message, 'RouteItem: ')
      assert.include(failure.message, message)
    })

  test('[P9] the error of an unknown operation lists the existing ones', ({ assert }) => {
    assert.throws(
      () => creatorWith({ includedMethods: ['fly' as 'read'] }),
      'operations are create, read, read_multi, update, delete and db_delete'
    )
    assert.throws(
      () => creatorWith({ endpointNames: { fly: 'x' } as object }),
      'operations are create, read, read_multi, update, delete, db_delete, read_paginated, batch and aggregate'
    )
  })

  test('[P9] a class other than a Lucid model is a TypeError', ({ assert }) => {
    for (const model of [class Plain {}, {}, 'Item', null, undefined]) {
      assert.throws(
        () => new EndpointCreator({ model: model as any }),
        TypeError as any,
        'is not a Lucid model: it must extend BaseModel'
      )
    }
  })

  test('an option that is undefined is treated as missing', ({ assert }) => {
    const creator = creatorWith({ path: undefined, tags: undefined, includedMethods: undefined })
    assert.equal(creator.path, '/api/route-items')
  })

  test('[S8] includedMethods and deletedMethods together are a ValueError', ({ assert }) => {
    assert.throws(
      () =>
        creatorWith({ includedMethods: ['read'], deletedMethods: new Set(['update'] as const) }),
      ValueError as any,
      "RouteItem: includedMethods and deletedMethods can't both be given; use one of them"
    )
    assert.throws(() => creatorWith({ includedMethods: [], deletedMethods: [] }), 'both be given')
  })

  test('[A24] db_delete can’t be included if there is no deleteSchema', ({ assert }) => {
    assert.throws(
      () => creatorWith({ includedMethods: ['db_delete'] }),
      ValueError as any,
      'RouteItem: includedMethods names db_delete, which exists only with a deleteSchema'
    )
  })

  test('[A24] two operations can’t share method and path')
    .with([
      [{ deleteSchema, endpointNames: { db_delete: '' } }, 'delete and db_delete', 'DELETE'],
      [{ deleteSchema, endpointNames: { delete: 'db_delete' } }, 'delete and db_delete', 'DELETE'],
      [{ endpointNames: { read_paginated: '' } }, 'read_multi and read_paginated', 'GET'],
      [
        { endpointNames: { read_multi: 'list', read_paginated: 'list' } },
        'read_multi and read_paginated',
        'GET',
      ],
    ])
    .run(({ assert }, [options, names, method]) => {
      assert.throws(
        () => creatorWith(options as object),
        ValueError as any,
        `RouteItem: ${names} would share ${method} /api/route-items`
      )
    })

  test('[A24] operations with different methods or parameters can share a segment', ({
    assert,
  }) => {
    const endpointNames = { create: 'x', read: 'x', read_multi: 'x', update: 'x', delete: 'x' }
    assert.doesNotThrow(() => creatorWith({ deleteSchema, endpointNames }))
  })

  test('[P3] a route of a subclass that collides with a generated one is an error', ({
    assert,
  }) => {
    class Colliding extends EndpointCreator {
      addRoutesToRouter() {
        super.addRoutesToRouter()
        this.addCustomRoute({ method: 'GET', path: ':anything', handler: () => null })
      }
    }
    const creator = new Colliding({ model: RouteItem })
    assert.throws(
      () => creator.planRoutes(),
      ValueError as any,
      'RouteItem: read and GET /:anything would share GET /api/route-items'
    )
  })
})

test.group('EndpointCreator | operations', () => {
  test('[S7, S5] by default all operations exist, but db_delete only with a deleteSchema', ({
    assert,
  }) => {
    assert.deepEqual([...creatorWith({ deleteSchema }).operations], ALL)
    assert.deepEqual([...creatorWith({}).operations], ALL.slice(0, -1))
  })

  test('[S6, P4] includedMethods, as an array or a Set, selects the operations', ({ assert }) => {
    const names: Operation[] = ['update', 'read']
    for (const includedMethods of [names, new Set(names)]) {
      assert.deepEqual([...creatorWith({ includedMethods }).operations], ['read', 'update'])
    }
    assert.lengthOf(creatorWith({ includedMethods: [] }).operations, 0)
  })

  test('[S7, P4] deletedMethods, as an array or a Set, removes operations', ({ assert }) => {
    const names: Operation[] = ['read', 'db_delete']
    for (const deletedMethods of [names, new Set(names)]) {
      const { operations } = creatorWith({ deletedMethods, deleteSchema })
      assert.deepEqual([...operations], ['create', 'read_multi', 'update', 'delete'])
    }
    assert.deepEqual([...creatorWith({ deletedMethods: [], deleteSchema }).operations], ALL)
  })
})

test.group('EndpointCreator | path', () => {
  test('[P5] the default path is the table name with dashes below the prefix', ({ assert }) => {
    class OrderLine extends BaseModel {
      static table = 'order_lines'

      @column({ isPrimary: true })
      declare id: number
    }
    assert.equal(new EndpointCreator({ model: OrderLine }).path, '/api/order-lines')
  })

  test('[P5] an explicit path has the same prefix')
    .with([
      ['goods', '/api/goods'],
      ['/goods/', '/api/goods'],
      ['shop/Goods_v1.0~x', '/api/shop/Goods_v1.0~x'],
    ])
    .run(({ assert }, [path, expected]) => {
      assert.equal(creatorWith({ path }).path, expected)
    })

  test('[P5] the prefix of all paths is configurable', ({ assert, cleanup }) => {
    const before = app.config.get('crud')
    cleanup(() => app.config.set('crud', before))

    app.config.set('crud', defineConfig({ prefix: 'v2/rest' }))
    assert.equal(creatorWith({ path: 'goods' }).path, '/v2/rest/goods')
    app.config.set('crud', defineConfig({ prefix: '/' }))
    assert.equal(creatorWith({ path: 'goods' }).path, '/goods')
  })

  test('the path of an item with a composite key has a segment for each part', ({ assert }) => {
    assert.equal(new EndpointCreator({ model: Seat }).resource.key.pattern, '/:hall/:place')
  })
})

test.group('EndpointCreator | routes', () => {
  const spelled = (creator: EndpointCreator) =>
    creator.routes.map(({ name, method, path }) => `${name}: ${method} ${path}`)

  test('[P12, S7] every generated route is listed', ({ assert }) => {
    const creator = creatorWith({ deleteSchema, endpointNames: { read_paginated: 'pages' } })
    assert.deepEqual(spelled(creator), [
      'create: POST /api/route-items',
      'read: GET /api/route-items/:id',
      'read_multi: GET /api/route-items',
      'update: PATCH /api/route-items/:id',
      'delete: DELETE /api/route-items/:id',
      'db_delete: DELETE /api/route-items/db_delete/:id',
      'read_paginated: GET /api/route-items/pages',
    ])
    assert.isTrue(creator.routes.every(({ isCustom }) => !isCustom))
    assert.equal(creator.routes.at(-1)?.operation, 'read_multi')
    assert.deepEqual(spelled(creatorWith({ includedMethods: ['create'] })), [
      'create: POST /api/route-items',
    ])
  })

  test('[D4] a batch is listed as a route if creates, updates or deletions are offered', ({
    assert,
  }) => {
    const first = () => {}
    const second = () => {}
    const creator = creatorWith({
      batch: true,
      deletedMethods: ['update'],
      middleware: { create: [first], delete: [first, second], update: [() => {}] },
    })
    const batch = creator.routes.at(-1)!
    assert.equal(
      `${batch.name}: ${batch.method} ${batch.path}`,
      'batch: POST /api/route-items/batch'
    )
    assert.deepEqual(batch.operations, ['create', 'delete'])
    assert.deepEqual(batch.middleware, [first, second])
    const renamed = creatorWith({ batch: true, endpointNames: { batch: 'many' } })
    assert.equal(renamed.routes.at(-1)!.path, '/api/route-items/many')
    assert.throws(
      () => creatorWith({ batch: true, endpointNames: { create: 'batch' } }),
      'would share'
    )
    assert.notInclude(
      creatorWith({}).routes.map(({ name }) => name),
      'batch'
    )
  })

  test('[D4, P9] the option batch requires that no column other than the key is named id', ({
    assert,
  }) => {
    const options = { model: RouteWord, batch: true, virtualFields: ['id'] }
    assert.throws(
      () => new EndpointCreator({ ...options, createSchema: vine.object({ id: vine.string() }) }),
      /name an item by id, and the model has another field of that name/
    )
  })

  test('[D4, P11] an overridden handler that a batch would bypass is an error, unless the batch handler is overridden, too', ({
    assert,
  }) => {
    class Guarded extends EndpointCreator {
      async createItem(...[ctx]: Parameters<EndpointCreator['createItem']>) {
        await super.createItem(ctx)
      }
    }
    class Careful extends Guarded {
      async batchItems(...[ctx]: Parameters<EndpointCreator['batchItems']>) {
        await super.batchItems(ctx)
      }
    }
    const options = { model: RouteItem, batch: true }
    assert.throws(
      () => new Guarded(options).routes,
      /overrides createItem, which a batch does not call/
    )
    assert.include(
      new Guarded({ ...options, deletedMethods: ['create'] }).routes.map(({ name }) => name),
      'batch'
    )
    assert.include(
      new Careful(options).routes.map(({ name }) => name),
      'batch'
    )
    assert.notInclude(
      new Guarded({ model: RouteItem }).routes.map(({ name }) => name),
      'batch'
    )
  })

  test('[A27, P12] custom routes come before the generated ones', ({ assert }) => {
    class WithReports extends EndpointCreator {
      addRoutesToRouter() {
        super.addRoutesToRouter()
        this.addCustomRoute({ method: 'GET', path: 'report', handler: () => null })
        this.addCustomRoute({
          method: 'POST',
          path: '/:id/send',
          operation: 'create',
          handler: () => null,
        })
      }
    }
    const creator = new WithReports({ model: RouteItem, deletedMethods: ['read_multi', 'delete'] })

    assert.deepEqual(spelled(creator), [
      'GET /report: GET /api/route-items/report',
      'POST /:id/send: POST /api/route-items/:id/send',
      'create: POST /api/route-items',
      'read: GET /api/route-items/:id',
      'update: PATCH /api/route-items/:id',
    ])
    assert.deepEqual(
      creator.routes.map(({ operation, isCustom }) => [operation, isCustom]),
      [
        ['read_multi', true],
        ['create', true],
        ['create', false],
        ['read', false],
        ['update', false],
      ]
    )
    assert.deepEqual(spelled(creator), spelled(creator))
  })

  test('[P12] a route lists its middleware', ({ assert }) => {
    const guard = () => {}
    const { routes } = creatorWith({ middleware: { create: new Set([guard]) } })
    assert.deepEqual(routes[0].middleware, [guard])
    assert.isUndefined(routes[1].middleware)
  })
})

test.group('EndpointCreator | options', () => {
  test('[S4, P4] column options of the model take precedence over those of the CRUD object', ({
    assert,
  }) => {
    class Mark extends BaseModel {
      @column({ isPrimary: true })
      declare id: number

      @column()
      declare gone: boolean

      @column()
      declare off: boolean

      @column()
      declare touched: string
    }
    const crud = new LucidCrud(Mark, { isDeletedColumn: 'gone', updatedAtColumn: 'touched' })
    const { resource } = new EndpointCreator({ model: Mark, crud, isDeletedColumn: 'off' })

    assert.equal(resource.softDelete?.flag?.attribute, 'off')
    assert.equal(resource.updatedAt?.attribute, 'touched')
    assert.isUndefined(resource.softDelete?.timestamp)
  })

  test('[P10] the access option of the model takes precedence over that of the configuration', ({
    assert,
    cleanup,
  }) => {
    const before = app.config.get('crud')
    cleanup(() => app.config.set('crud', before))
    app.config.set('crud', defineConfig({ access: 'token' }))

    const silent = creatorWith({})
    assert.equal(silent.accessOf('read'), 'token')
    assert.isTrue(silent.isAccessDefault('read'))

    const mixed = creatorWith({ access: { read: 'public' } })
    assert.deepEqual([mixed.accessOf('read'), mixed.accessOf('update')], ['public', 'token'])
    assert.isFalse(mixed.isAccessDefault('read'))
    assert.isTrue(mixed.isAccessDefault('update'))
    assert.equal(creatorWith({ access: 'public' }).accessOf('delete'), 'public')
  })

  test('[P4] the CRUD object is the given instance, or one of the given class', ({ assert }) => {
    class Own extends LucidCrud {}
    const object = new Own(RouteItem)

    assert.strictEqual(creatorWith({ crud: object }).crud, object as LucidCrud)
    assert.instanceOf(creatorWith({ crud: Own }).crud, Own)
    assert.instanceOf(creatorWith({}).crud, LucidCrud)
  })

  test('two endpoints that are given one CRUD object each bind it to their own resource', ({
    assert,
  }) => {
    const object = new LucidCrud(RouteItem)
    const [first, second] = ['a', 'b'].map((path) => creatorWith({ path, crud: object }))

    assert.strictEqual(first.crud.resource, first.resource)
    assert.strictEqual(second.crud.resource, second.resource)
  })
})
